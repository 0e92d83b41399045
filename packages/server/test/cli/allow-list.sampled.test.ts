/** `ratafia allow-list` imports all of a long file, or none of it. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { FULL } from '../../../../tools/test/effort.ts'
import { vectorPath } from '../support/brands.ts'
import { line } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

const world = (name: string) => vectorPath(`world/${name}`)
/** More than one batch. */
const ROWS = FULL ? 100_000 : 1_500
const CLASSIC = 'acme-brand/acme-classic'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  before(async () => {
    for (const words of [
      ['migrate'],
      ['trust', 'add', world('account-test-root'), world('account-key-test-root')],
      line`
        brands add --account ${world('account-acme-brand')} --account-key
        ${world('account-key-acme-brand')} --signing-key ${world('keys/brand.pem')}`,
      ['models', 'add', world('model-acme-classic'), '--registration', 'approval'],
      ['models', 'add', world('model-acme-gadget'), '--registration', 'allow-list'],
    ]) {
      const { code, stderr } = await program.run(words)
      assert.equal(code, 0, stderr)
    }
  })

  const says = async (words: readonly string[], stdout: RegExp) => {
    const finished = await program.run(words)
    assert.deepEqual([finished.code, finished.stderr], [0, ''])
    assert.match(finished.stdout, stdout)
  }
  const refuses = async (words: readonly string[], message: RegExp, code = 1) => {
    const finished = await program.run(words)
    assert.deepEqual([finished.code, finished.stdout], [code, ''], finished.stderr)
    assert.match(finished.stderr, message)
  }

  test(`imports ${ROWS} rows, and changes nothing if the file has a mistake`, async () => {
    const model = ['--model', 'acme-brand/acme-gadget']
    const file = join(program.directory, 'list.csv')
    const rows = Array.from({ length: ROWS }, (_, number) => `SN${String(number).padStart(6, '0')},`)
    await writeFile(file, `serial,device_key_id\n${rows.join('\n')}\n`)
    const planned = await program.json('allow-list', 'import', file, ...model, '--dry-run')
    assert.deepEqual(planned, { dry_run: true, entries: ROWS, added: ROWS })
    assert.deepEqual(await program.json('allow-list', 'list', ...model), [])
    const imported = await program.json('allow-list', 'import', file, ...model)
    assert.deepEqual(imported, { entries: ROWS, added: ROWS })
    const bad = join(program.directory, 'bad.json')
    await writeFile(bad, '[{"serial":"new"},{"serial":"a/b"}]')
    for (const dry of [[], ['--dry-run']]) {
      await refuses(
        ['allow-list', 'import', bad, ...model, ...dry],
        /^ratafia: item 2: "serial" is not a serial number/,
      )
    }
    await says(
      ['allow-list', 'import', file, ...model, '--dry-run'],
      new RegExp(`^0 entries would be added; ${ROWS} already on the list\\.\n$`),
    )
    const ignored =
      /^acme-brand\/acme-gadget ignores its allow-list, because its registration policy is "\w+"\. /
    const policy = (registration: string) =>
      program.run(['models', 'set-policy', 'acme-brand/acme-gadget', '--registration', registration])
    const few = join(program.directory, 'few.csv')
    await writeFile(few, 'serial\nSN000000\n')
    for (const [registration, expected] of [
      ['approval', true],
      ['auto', true],
      ['allow-list', false],
    ] as const) {
      assert.equal((await policy(registration)).code, 0)
      const { stderr } = await program.run(['allow-list', 'import', few, ...model])
      assert.equal(ignored.test(stderr), expected, stderr)
    }
    const list = await program.json('allow-list', 'list', ...model)
    assert.equal(list.length, ROWS)
    assert.deepEqual(list.at(-1), { serial: `SN${String(ROWS - 1).padStart(6, '0')}`, device_key_id: null })
    const text = join(program.directory, 'list.txt')
    await writeFile(text, '')
    await refuses(['allow-list', 'import', text, ...model], /ends neither in \.csv nor in \.json/, 2)
    await says(
      ['allow-list', 'list', '--model', CLASSIC],
      /^The allow-list of acme-brand\/acme-classic is empty\.\n$/,
    )
  })
})
