/** An embedded database that another process writes to, or that cannot be read or written: commands say so, and what only reads works. */
import assert from 'node:assert/strict'
import fs, { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { withNewFile } from '../../src/cli/files.ts'
import { type Database, openDatabase } from '../../src/database/index.ts'
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

const COMMANDS = [
  ['accounts', 'list'],
  ['audit', 'verify'],
  ['verify'],
  ['migrate', '--plan'],
  ['status'],
  ['config', 'check'],
  ['keys', 'rotate'],
  ['migrate'],
]

describe('an embedded database that cannot be read', () => {
  const program = testProgram()

  // Permissions do not stop root: a name that leads nowhere is refused to everyone.
  for (const words of COMMANDS) {
    test(`ratafia ${words.join(' ')} says so, and not that there is none`, async () => {
      const directory = join(program.directory, 'circle')
      await mkdir(directory, { recursive: true })
      await symlink('ratafia.db', join(directory, 'ratafia.db')).catch(() => {})
      const { code, stderr } = await program.run(words, { environment: { RATAFIA_DATA_DIR: directory } })
      assert.match(
        stderr,
        /RATAFIA_DATA_DIR: the database .*ratafia\.db cannot be read: its symbolic links go in a circle\. Correct the links\. Run this as the user/,
      )
      assert.doesNotMatch(stderr, /there is no database|makes a new one/)
      assert.equal(code, 4)
      assert.deepEqual(await readdir(directory), ['ratafia.db'])
    })
  }
})

describe('an embedded database that cannot be written to', () => {
  let directory: string
  let file: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-still-'))
    file = join(directory, 'a b?#.db')
    const made = new DatabaseSync(file)
    made.exec('pragma journal_mode = wal; create table package (name text, snap_id text)')
    made.exec("insert into package values ('a', 'b')")
    made.close()
  })
  after(() => rm(directory, { recursive: true }))

  const isOnlyRead = async (database: Database) => {
    assert.equal((await database.query.selectFrom('package').select('name').execute()).length, 1)
    await assert.rejects(database.query.deleteFrom('package').execute(), {
      name: 'Unavailable',
      message:
        /readonly database\. Run this as the user that owns the file, on a file system that can be written to\.$/,
    })
    await database.close()
  }

  test('on a read-only file system it is read without the files beside it', async () => {
    await isOnlyRead(await openDatabase({ kind: 'sqlite', file, access: 'read-still' }))
    assert.deepEqual(await readdir(directory), ['a b?#.db'])
  })

  test('of another user it is read while that user writes to it', async () => {
    const shared = join(directory, 'shared.db')
    await cp(file, shared)
    const other = new DatabaseSync(shared)
    other.exec('update package set snap_id = name')
    other.exec('begin immediate')
    await isOnlyRead(await openDatabase({ kind: 'sqlite', file: shared, access: 'read' }))
    other.exec('rollback')
    other.close()
  })
})

describe('a file system without hard links', () => {
  const program = testProgram()
  const at = (name: string) => join(program.directory, name)
  // Each alone: a second one on top would be restored to the first.
  afterEach(() => {
    mock.restoreAll()
    syncBuiltinESMExports()
  })
  const withoutLinks = (code: string, meanwhile: () => Promise<void>) => {
    mock.method(fs, 'link', async () => {
      await meanwhile()
      throw Object.assign(new Error(code), { code, syscall: 'link' })
    })
    syncBuiltinESMExports()
  }

  for (const reason of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']) {
    test(`${reason}: a new file is created anyway`, async () => {
      withoutLinks(reason, async () => {})
      const directory = at(reason)
      await mkdir(directory)
      await withNewFile(join(directory, 'key'), { otherwise: '' }, ({ write }) => write('ours'))
      assert.deepEqual(await readdir(directory), ['key'])
      assert.equal(await readFile(join(directory, 'key'), 'utf8'), 'ours')
    })
  }

  test('one that another process has made meanwhile is not overwritten', async () => {
    const directory = at('meanwhile')
    await mkdir(directory)
    const file = join(directory, 'key')
    withoutLinks('EPERM', () => writeFile(file, 'theirs'))
    const { code, stderr } = await program.run(['signing-keys', 'generate', file])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /key cannot be made: something else has its name\. Give another name\. Its content is in \S+\.part\./,
    )
    assert.equal(await readFile(file, 'utf8'), 'theirs')
  })
})
