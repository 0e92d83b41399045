/** In pasted credentials, white space is ignored, and messages name quotes and schemes to leave out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeBase64, encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { heldToken } from '../../src/cli/tokens/held-token.ts'
import { macaroonsIn, presentedMacaroons } from '../../src/http/credentials/presented.ts'

const macaroon = mint({ rootKey: Buffer.alloc(32, 1), id: Buffer.alloc(120, 2), location: 'store.example' })
const token = encodeBase64Url(encodeBinary(macaroon))
const half = token.length >> 1

/** The places that read credentials. */
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
  'a different scheme': [`bearer ${token}`, /It begins with "bearer": leave that out\./],
  'the whole header': [
    `Authorization: Macaroon ${token}`,
    /It begins with "Authorization: Macaroon": leave that out\./,
  ],
}

for (const [place, read] of Object.entries(READERS)) {
  for (const [what, text] of Object.entries(TAKEN)) {
    test(`reads a token in ${place} with ${what}`, () => {
      assert.deepEqual(read(text), macaroon.id)
    })
  }
  for (const [what, [text, message]] of Object.entries(NAMED)) {
    test(`refuses a token in ${place} with ${what}, and explains the problem without the token`, () => {
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
  test(`reads the INI file of snapcraft 4 with ${what}`, () => {
    assert.equal(macaroonsIn(ini(end))[0].length, 2)
    assert.deepEqual(heldToken({ text: ini(end), name: 'x' }).macaroon.id, macaroon.id)
  })
}

test('refuses an INI file without a credential', () => {
  assert.throws(() => macaroonsIn('[login.ubuntu.com]\nmacaroon = \n'), /malformed/)
})
