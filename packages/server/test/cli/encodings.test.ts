/** Commands read files and input in the encodings that editors and PowerShell write, or name the encoding. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { vector, vectorPath } from '../support/brands.ts'
import { line } from '../support/cases.ts'
import { oneDatabase } from '../support/databases.ts'
import { ENCODINGS, NOT_TEXT } from '../support/encodings.ts'
import { testProgram } from '../support/program.ts'
import { newKeyPair } from '../support/test-issuer.ts'

const GADGET = Buffer.from(vector('world/model-acme-gadget').bytes).toString()
const STATEMENT = { type: 'model', 'authority-id': 'acme-brand', series: '16', 'brand-id': 'acme-brand' }
const MODEL = ['--model', 'acme-brand/acme-classic']

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let keySet: string
  before(async () => {
    const world = (name: string) => vectorPath(`world/${name}`)
    for (const words of [
      ['migrate'],
      ['trust', 'add', world('account-test-root'), world('account-key-test-root')],
      line`
        brands add --account ${world('account-acme-brand')} --account-key
        ${world('account-key-acme-brand')} --signing-key ${world('keys/brand.pem')}`,
      ['models', 'add', world('model-acme-classic'), '--registration', 'auto'],
    ]) {
      const { code, stderr } = await program.run(words)
      assert.equal(code, 0, stderr)
    }
    keySet = JSON.stringify({ keys: [(await newKeyPair('ES256', 'a')).jwk] })
  })

  const file = async (name: string, bytes: Uint8Array): Promise<string> => {
    const path = join(program.directory, name)
    await writeFile(path, bytes)
    return path
  }

  /** The text that each command reads, and the command, which changes nothing that the next one needs. */
  const READERS: Readonly<
    Record<
      string,
      readonly [text: () => string, run: (bytes: Buffer, at: number) => ReturnType<typeof program.run>]
    >
  > = {
    'assertions sign': [
      () => JSON.stringify({ ...STATEMENT, model: 'acme-x', classic: 'true' }),
      (input) => program.run(['assertions', 'sign', '--key', vectorPath('world/keys/brand.pem')], { input }),
    ],
    'models update': [
      () => Buffer.from(vector('world/model-acme-classic').bytes).toString(),
      async (bytes) => program.run(['models', 'update', await file('model', bytes)]),
    ],
    'allow-list import': [
      () => 'serial\nAC-1\n',
      async (bytes) =>
        program.run(['allow-list', 'import', await file('a.csv', bytes), ...MODEL, '--dry-run']),
    ],
    'packages import': [
      () => '[{"name":"a","snap_id":"1"}]',
      async (bytes) => program.run(['packages', 'import', await file('p.json', bytes), '--dry-run']),
    ],
    'devices import': [
      () => 'id\n',
      async (bytes) => program.run(['devices', 'import', await file('d.csv', bytes), '--dry-run']),
    ],
    'issuers add': [
      () => keySet,
      async (bytes, at) =>
        program.run([
          ...['issuers', 'add', `https://k${at}.example`, '--kind', 'kubernetes'],
          ...['--jwks', await file('jwks', bytes)],
        ]),
    ],
  }

  for (const [reader, [text, run]] of Object.entries(READERS)) {
    for (const [at, [encoding, encode]] of Object.entries(ENCODINGS).entries()) {
      test(`${reader} reads ${encoding}`, async () => {
        const { code, stderr } = await run(encode(text()), at)
        assert.equal(code, 0, stderr)
      })
    }
    for (const [what, [encode, message]] of Object.entries(NOT_TEXT)) {
      test(`${reader} names ${what}`, async () => {
        const { code, stderr } = await run(encode(text()), 99)
        assert.notEqual(code, 0)
        assert.match(stderr, message)
      })
    }
  }

  test('reads an assertion file with CRLF line ends, and still verifies its signature', async () => {
    const windows = await file('crlf', Buffer.from(GADGET.replaceAll('\n', '\r\n')))
    const { code, stderr } = await program.run(['models', 'add', windows, '--registration', 'auto'])
    assert.equal(code, 0, stderr)
    const changed = GADGET.replace('store: ', 'store: x').replaceAll('\n', '\r\n')
    const refused = await program.run(['models', 'update', await file('changed', Buffer.from(changed))])
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /It was changed after it was signed, perhaps by an editor: get the file again\.\n$/,
    )
  })
})
