/**
 * `ratafia packages` imports all of a file or none of it. Invalid files are tested on SQLite only, because
 * parsing does not depend on the database.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ImportError } from '../../src/files/import-rows.ts'
import { importPackages } from '../support/as-operator.ts'
import { casesIn } from '../support/cases.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { storesOf } from '../support/stores.ts'

eachDatabase((kind, open, fresh) => {
  const program = testProgram(fresh)
  const fileOf = async (name: string, text: string | Uint8Array) => {
    const file = join(program.directory, name)
    await writeFile(file, text)
    return file
  }
  const { json, says, refuses } = program
  before(() => says('migrate'))

  test('imports CSV and JSON, replaces all packages with --replace, and lists them', async () => {
    await says('packages list', /^The package directory is empty, so /)
    const csv = await fileOf('a.csv', '\ufeffsnap_id,other,name\r\nid-a,x,a\r\n\r\n"id-b",y, b \r\n')
    await says(`packages import ${csv}`, '2 packages imported.\n')
    const c = '{"name":"c","snap_id":"id-c","more":1}'
    const renamed = await fileOf('b.json', `[${c},{"name":"renamed","snap_id":"id-a"}]`)
    assert.deepEqual(await json(`packages import ${renamed}`), { imported: 2 })
    assert.deepEqual(await json('packages list'), [
      { name: 'b', snap_id: 'id-b' },
      { name: 'c', snap_id: 'id-c' },
      { name: 'renamed', snap_id: 'id-a' },
    ])
    assert.deepEqual(await json(`packages import ${csv} --replace`), { imported: 2 })
    await says('packages list', LISTED)
  })
  const LISTED = 'NAME  SNAP ID\na     id-a\nb     id-b\n'

  test('--dry-run shows the changes of an import, and changes nothing', async () => {
    const file = await fileOf('plan.csv', 'name,snap_id\na,id-a\nother,id-b\nnew,id-new\n')
    const plan = { dry_run: true, added: 1, changed: 1, removed: 0, unchanged: 1 }
    assert.deepEqual(await json(`packages import ${file} --dry-run`), plan)
    const one = await fileOf('one.csv', 'name,snap_id\na,id-a\n')
    await says(
      `packages import ${one} --dry-run --replace`,
      'Nothing was changed. The import adds 0 packages, changes 0, removes 1, and leaves 1 unchanged.\n',
    )
    await says('packages list', LISTED)
  })

  test('a file with an invalid row changes nothing', async () => {
    const bad = await fileOf('bad.csv', 'name,snap_id\nnew,id-new\nbroken,\n')
    await refuses(
      `packages import ${bad} --replace`,
      'ratafia: line 3: "snap_id" is missing or not a snap id. The columns are name and snap_id.\n',
    )
    await says('packages list', LISTED)
  })

  const REFUSALS = casesIn(String.raw`
    csv | "" | ^line 1: this is not a header line with the columns name and snap_id\.$
    csv | "name,id\na,1\n" | ^line 1: this is not a header line with the columns name and snap_id\. It has "name", "id"\.$
    csv | "name,snap_id;more\na,1;2\n" | ^line 1: the header line has commas and semicolons\. Separate 
    csv | "name,snap_id,Name\na,1,b\n" | ^line 1: the column "name" appears twice\.$
    csv | "a,b\n" | ^line 1: 
    csv | "name,snapid\na,b\n" | ^line 1: 
    csv | "name,snap_id\na,b,c\n" | ^The file is not CSV: .* on line 2
    csv | "name,snap_id\n\"a,b\n" | ^The file is not CSV: 
    csv | "name,snap_id\na,b\n\n,c\n" | ^line 4: "name" is missing
    csv | "name,snap_id\na b,c\n" | ^line 2: "name" is missing or not a package name
    csv | "name,snap_id\na,1\nb,2\na,3\n" | ^line 4: the name "a" is also at line 2\.$
    csv | "name,snap_id\n,1\na,2\na,2\n" | ^line 2: .*\nline 4: the name .*\nline 4: the snap_id .*\nNothing
    csv | "name,snap_id\na,1\nb,1\n" | ^line 3: the snap_id "1" is also at line 2\.$
    json | "" | ^The file is not JSON: 
    json | "{}" | ^The file is not a JSON list of 
    json | "[{\"name\":\"a\",\"snap_id\":\"1\"},null]" | ^item 2: "name" is missing
    json | "[{\"name\":\"a\",\"snap_id\":1}]" | ^item 1: "snap_id" is missing
    json | "[{\"name\":\"a\",\"snap_id\":\"1\"},{\"name\":\"a\",\"snap_id\":\"2\"}]" | ^item 2: the name "a" is also at item 1\.$`)
  for (const [given, text = '', message = ''] of kind === 'sqlite' ? REFUSALS : []) {
    test(`refuses ${given} ${text}`, async () => {
      const format = given === 'csv' ? 'csv' : 'json'
      const imported = importPackages(JSON.parse(text), { format, replaceAll: true }, storesOf(await open()))
      await assert.rejects(imported, (error: Error) => {
        assert.ok(error instanceof ImportError, String(error))
        assert.match(error.message, new RegExp(message))
        return true
      })
    })
  }

  if (kind === 'sqlite')
    test('refuses a missing file, and one of unknown format', async () => {
      await refuses(
        'packages import missing.csv',
        'ratafia: missing.csv cannot be read: there is no such file or directory. Check the path.\n',
      )
      const text = await fileOf('packages.txt', '')
      await refuses(`packages import ${text}`, `ratafia: ${text} ends neither in .csv nor in .json.\n`, 2)
    })
})
