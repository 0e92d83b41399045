/** While another process writes to the embedded database, commands that only read answer, and others say that they wait. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { testProgram } from '../support/program.ts'

const READING = [
  ['accounts', 'list'],
  ['agents', 'list'],
  ['api-keys', 'list'],
  ['audit', 'list'],
  ['audit', 'export'],
  ['audit', 'verify'],
  ['brands', 'list'],
  ['clones', 'list'],
  ['config', 'check', '--connect'],
  ['counters'],
  ['devices', 'counts'],
  ['devices', 'list'],
  ['issuers', 'list'],
  ['jobs', 'list'],
  ['keys', 'list'],
  ['migrate', '--plan'],
  ['migrate'],
  ['models', 'list'],
  ['packages', 'list'],
  ['publishers', 'list'],
  ['signing-keys', 'list'],
  ['status'],
  ['tokens', 'list'],
  ['trust', 'list'],
  ['verify'],
]

describe('while another process holds the write lock', () => {
  const program = testProgram()
  let other: DatabaseSync
  const file = () => join(String(program.environment['RATAFIA_DATA_DIR']), 'ratafia.db')
  before(async () => {
    assert.equal((await program.run(['keys', 'list'])).code, 4, 'there is a database')
    assert.equal((await program.run(['migrate'])).code, 0)
    other = new DatabaseSync(file())
    other.exec('begin immediate')
  })
  after(() => other.close())

  for (const words of READING) {
    test(`ratafia ${words.join(' ')} does not wait`, async () => {
      const { code, stderr } = await program.run(words)
      assert.doesNotMatch(stderr, /waiting|locked|unknown command|unknown option/)
      // A new installation without accounts and keys needs attention.
      const looked = code === 1 && ['status', 'verify'].includes(String(words[0]))
      assert.ok(code === 0 || looked, `${code} ${stderr}`)
    })
  }

  test('a backup is made', async () => {
    const { code, stderr } = await program.run(['backup', join(program.directory, 'a.backup')])
    assert.equal(code, 0, stderr)
  })

  test('a command that changes something says that it waits, and then what to do', async () => {
    const { code, stderr } = await program.run(['keys', 'rotate'])
    assert.match(stderr, new RegExp(`warning: waiting for ${file()}, which another process is writing to\n`))
    assert.match(stderr, /database is locked/)
    assert.equal(code, 3)
  })

  test('a service whose schema is current starts', async () => {
    other.exec('rollback')
    const first = await program.start()
    await first.end('SIGTERM')
    other.exec('begin immediate')
    const service = await program.start()
    other.exec('rollback')
    assert.equal((await service.end('SIGTERM')).code, 0)
    other.exec('begin immediate')
  })

  test('with an older schema a command that reads says how to bring it up to date, and waits for nothing', async () => {
    other.exec('rollback')
    other.exec("update schema_migration set name = '0000-older' where name = '0001-schema'")
    other.exec('begin immediate')
    const { code, stderr } = await program.run(['accounts', 'list'])
    assert.equal(code, 4)
    assert.match(stderr, /older than this version of Ratafia: run `ratafia migrate`\.\n$/)
    assert.doesNotMatch(stderr, /waiting/)
  })
})
