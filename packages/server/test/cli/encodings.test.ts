/** Commands read files and input in the encodings that editors and PowerShell write, or name the encoding. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { vector, vectorPath } from '../support/brands.ts'
import { oneDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { ENCODINGS, NOT_TEXT } from '../support/encodings.ts'
import { testProgram } from '../support/program.ts'
import { newKeyPair } from '../support/test-issuer.ts'

const GADGET = Buffer.from(vector('world/model-acme-gadget').bytes).toString()
const STATEMENT = { type: 'model', 'authority-id': 'acme-brand', series: '16', 'brand-id': 'acme-brand' }

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let keySet: string
  before(async () => {
    await withAcme(await program.open())
    keySet = JSON.stringify({ keys: [(await newKeyPair('ES256', 'a')).jwk] })
  })

  const file = async (name: string, bytes: Uint8Array): Promise<string> => {
    const path = join(program.directory, name)
    await writeFile(path, bytes)
    return path
  }

  /** The text that each command reads, and the command with FILE, which changes nothing that the next one needs. */
  const READERS: Readonly<Record<string, readonly [text: () => string, words: string, name?: string]>> = {
    'assertions sign': [
      () => JSON.stringify({ ...STATEMENT, model: 'acme-x', classic: 'true' }),
      `assertions sign --key ${vectorPath('world/keys/brand.pem')}`,
    ],
    'models update': [
      () => Buffer.from(vector('world/model-acme-classic').bytes).toString(),
      'models update FILE',
    ],
    'allow-list import': [
      () => 'serial\nAC-1\n',
      'allow-list import FILE --model acme-brand/acme-classic --dry-run',
      'a.csv',
    ],
    'packages import': [() => '[{"name":"a","snap_id":"1"}]', 'packages import FILE --dry-run', 'p.json'],
    'devices import': [() => 'id\n', 'devices import FILE --dry-run', 'd.csv'],
    'issuers add': [() => keySet, 'issuers add https://kAT.example --kind kubernetes --jwks FILE'],
  }

  for (const [reader, [text, words, name = 'file']] of Object.entries(READERS)) {
    const run = async (input: Buffer, at: number) =>
      program.run(words.replace('FILE', await file(name, input)).replace('kAT', `k${at}`), { input })
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
    const { code, stderr } = await program.run(`models add ${windows} --registration auto`)
    assert.equal(code, 0, stderr)
    const changed = GADGET.replace('store: ', 'store: x').replaceAll('\n', '\r\n')
    await program.refuses(
      `models update ${await file('changed', Buffer.from(changed))}`,
      /It was changed after it was signed, perhaps by an editor: get the file again\.\n$/,
    )
  })
})
