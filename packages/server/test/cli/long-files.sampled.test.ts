/** `ratafia allow-list` and `packages` import all of a long file, or none of it. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, withAcme } from '../support/devices.ts'
import { testProgram } from '../support/program.ts'

/** More than one batch. */
const ROWS = FULL ? 100_000 : 1_500
/** More than two batches. */
const PACKAGES = FULL ? 20_000 : 2_500
const MODEL = '--model acme-brand/listed'

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { json, says, refuses } = program
  before(async () => {
    const installation = await program.open()
    await withAcme(installation)
    await addAcmeModel(installation, 'listed', { policy: { registration: 'allow-list' } })
  })
  const fileOf = async (name: string, text: string) => {
    await writeFile(join(program.directory, name), text)
    return join(program.directory, name)
  }

  test(`imports ${ROWS} rows of an allow-list, and changes nothing if the file has a mistake`, async () => {
    const rows = Array.from({ length: ROWS }, (_, number) => `SN${String(number).padStart(6, '0')},`)
    const words = `allow-list import ${await fileOf('list.csv', `serial,device_key_id\n${rows.join('\n')}\n`)} ${MODEL}`
    assert.deepEqual(await json(`${words} --dry-run`), { dry_run: true, entries: ROWS, added: ROWS })
    assert.deepEqual(await json(`allow-list list ${MODEL}`), [])
    assert.deepEqual(await json(words), { entries: ROWS, added: ROWS })
    const bad = await fileOf('bad.json', '[{"serial":"new"},{"serial":"a/b"}]')
    for (const dry of ['', '--dry-run']) {
      await refuses(
        `allow-list import ${bad} ${MODEL} ${dry}`,
        /^ratafia: item 2: "serial" is not a serial number/,
      )
    }
    await says(`${words} --dry-run`, `0 entries would be added; ${ROWS} already on the list.\n`)
    const ignored = /^acme-brand\/listed ignores its allow-list, because its registration policy is "\w+"\. /
    const few = await fileOf('few.csv', 'serial\nSN000000\n')
    for (const [registration, expected] of [
      ['approval', true],
      ['auto', true],
      ['allow-list', false],
    ] as const) {
      const set = await program.run(`models set-policy acme-brand/listed --registration ${registration}`)
      assert.equal(set.code, 0)
      const { stderr } = await program.run(`allow-list import ${few} ${MODEL}`)
      assert.equal(ignored.test(stderr), expected, stderr)
    }
    const list = await json(`allow-list list ${MODEL}`)
    assert.equal(list.length, ROWS)
    assert.deepEqual(list.at(-1), { serial: `SN${String(ROWS - 1).padStart(6, '0')}`, device_key_id: null })
    const text = await fileOf('list.txt', '')
    await refuses(`allow-list import ${text} ${MODEL}`, /ends neither in \.csv nor in \.json/, 2)
    await says(
      'allow-list list --model acme-brand/acme-classic',
      'The allow-list of acme-brand/acme-classic is empty.\n',
    )
  })

  test(`imports ${PACKAGES} packages, without a progress bar when there is no terminal`, async () => {
    const lines = Array.from({ length: PACKAGES }, (_, index) => `package-${index},id-${index}`)
    const file = await fileOf('many.csv', `name,snap_id\n${lines.join('\n')}\n`)
    await says(`packages import ${file} --replace`, `${PACKAGES} packages imported.\n`)
    assert.equal((await json('packages list')).length, PACKAGES)
  })
})
