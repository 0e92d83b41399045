/** Credentials as people paste them: white space is taken off, quotes and a scheme are named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeBase64, encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { heldToken } from '../../src/cli/tokens/held-token.ts'
import { macaroonsIn, presentedMacaroons } from '../../src/http/credentials/presented.ts'

const macaroon = mint({ rootKey: Buffer.alloc(32, 1), id: Buffer.alloc(120, 2), location: 'store.example' })
const token = encodeBase64Url(encodeBinary(macaroon))
const half = token.length >> 1

/** Where a credential is read. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a field': (text) => macaroonsIn(text)[0][0].id,
  'the header Authorization': (text) => presentedMacaroons({ authorization: `Macaroon ${text}` })[0][0].id,
  'a command': (text) => heldToken({ text, name: 'Standard input' }).macaroon.id,
}

const TAKEN: Readonly<Record<string, string>> = {
  'a line break at the end': `${token}\r\n`,
  'line breaks inside': `${token.slice(0, half)}\r\n${token.slice(half)}`,
  'spaces around and inside': `  ${token.slice(0, half)}  ${token.slice(half)} `,
}

const NAMED: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  'double quotes': [`"${token}"`, /It is in quotes: leave them out\./],
  'single quotes': [`'${token}'`, /It is in quotes: leave them out\./],
  'quotes of a word processor': [`\u201c${token}\u201d`, /It is in quotes: leave them out\./],
  'the scheme': [`Macaroon ${token}`, /It begins with "Macaroon": leave that out\./],
  'another scheme': [`bearer ${token}`, /It begins with "bearer": leave that out\./],
  'the whole header': [
    `Authorization: Macaroon ${token}`,
    /It begins with "Authorization: Macaroon": leave that out\./,
  ],
}

for (const [place, read] of Object.entries(READERS)) {
  for (const [what, text] of Object.entries(TAKEN)) {
    test(`a token in ${place} with ${what} is read`, () => {
      assert.deepEqual(read(text), macaroon.id)
    })
  }
  for (const [what, [text, message]] of Object.entries(NAMED)) {
    test(`a token in ${place} with ${what} is refused by a name for it, and not repeated`, () => {
      assert.throws(
        () => read(text),
        (error: Error) => {
          assert.match(error.message, message)
          return !error.message.includes(token.slice(0, 20))
        },
      )
    })
  }
}

const ini = (end: string) =>
  [
    '[login.ubuntu.com]',
    `macaroon = ${encodeBase64(encodeBinary(macaroon))}`,
    `unbound_discharge = ${token}`,
    'email = maria@example.org',
    '',
  ].join(end)

for (const [what, end] of [
  ['LF', '\n'],
  ['CR LF', '\r\n'],
] as const) {
  test(`the INI file of snapcraft 4 with ${what} is read`, () => {
    assert.equal(macaroonsIn(ini(end))[0].length, 2)
    assert.deepEqual(heldToken({ text: ini(end), name: 'x' }).macaroon.id, macaroon.id)
  })
}

test('an INI file without a credential is refused', () => {
  assert.throws(() => macaroonsIn('[login.ubuntu.com]\nmacaroon = \n'), /malformed/)
})
