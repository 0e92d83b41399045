/**
 * Commands report an embedded database that another process is writing to, or that they cannot read or write.
 * Commands that only read still work while another process writes.
 */
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
  ...[
    'accounts',
    'agents',
    'api-keys',
    'audit',
    'brands',
    'clones',
    'devices',
    'issuers',
    'jobs',
    'keys',
  ].map((noun) => `${noun} list`),
  ...['models', 'packages', 'publishers', 'signing-keys', 'tokens', 'trust'].map((noun) => `${noun} list`),
  ...['audit export', 'audit verify', 'config check --connect', 'counters', 'devices counts'],
  ...['migrate --plan', 'migrate', 'status', 'verify'],
]

describe('while another process holds the write lock', () => {
  const program = testProgram()
  let other: DatabaseSync
  const file = () => join(String(program.environment['RATAFIA_DATA_DIR']), 'ratafia.db')
  before(async () => {
    assert.equal((await program.run('keys list')).code, 4, 'a database already exists')
    assert.equal((await program.run('migrate')).code, 0)
    other = new DatabaseSync(file())
    other.exec('begin immediate')
  })
  after(() => other.close())

  for (const words of READING) {
    test(`ratafia ${words} does not wait`, async () => {
      const { code, stderr } = await program.run(words)
      assert.doesNotMatch(stderr, /waiting|locked|unknown command|unknown option/)
      // A new installation without accounts and keys needs attention.
      const looked = code === 1 && ['status', 'verify'].includes(words)
      assert.ok(code === 0 || looked, `${code} ${stderr}`)
    })
  }

  test('ratafia backup works', async () => {
    const { code, stderr } = await program.run(`backup ${join(program.directory, 'a.backup')}`)
    assert.equal(code, 0, stderr)
  })

  test('a command that writes warns that it is waiting, and then fails with exit code 3', async () => {
    const { code, stderr } = await program.run('keys rotate')
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

  test('with an older schema a command that reads suggests `ratafia migrate` without waiting', async () => {
    other.exec('rollback')
    other.exec("update schema_migration set name = '0000-older' where name = '0001-schema'")
    other.exec('begin immediate')
    const { code, stderr } = await program.run('accounts list')
    assert.equal(code, 4)
    assert.match(stderr, /older than this version of Ratafia: run `ratafia migrate`\.\n$/)
    assert.doesNotMatch(stderr, /waiting/)
  })
})

const COMMANDS = [
  ...['accounts list', 'audit verify', 'verify', 'migrate --plan', 'status', 'config check', 'keys rotate'],
  'migrate',
]

describe('an embedded database that cannot be read', () => {
  const program = testProgram()

  // File permissions would not stop root, but a loop of symbolic links does.
  for (const words of COMMANDS) {
    test(`ratafia ${words} reports that, and not that there is no database`, async () => {
      const directory = join(program.directory, 'circle')
      await mkdir(directory, { recursive: true })
      await symlink('ratafia.db', join(directory, 'ratafia.db')).catch(() => {})
      const { code, stderr } = await program.run(words, { environment: { RATAFIA_DATA_DIR: directory } })
      assert.match(
        stderr,
        /RATAFIA_DATA_DIR: the database .*ratafia\.db cannot be read: its symbolic links form a loop\. Correct the links\. Run this as the user/,
      )
      assert.doesNotMatch(stderr, /there is no database|creates a new one/)
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

  test('can be read on a read-only file system, without WAL files next to it', async () => {
    await isOnlyRead(await openDatabase({ kind: 'sqlite', file, access: 'read-still' }))
    assert.deepEqual(await readdir(directory), ['a b?#.db'])
  })

  test('can be read while another user, who owns it, is writing to it', async () => {
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
  // After each test, because restoring a mock of a mock would leave the first one.
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
    test(`creates a new file in spite of ${reason}`, async () => {
      withoutLinks(reason, async () => {})
      const directory = at(reason)
      await mkdir(directory)
      await withNewFile(join(directory, 'key'), { otherwise: '' }, ({ write }) => write('ours'))
      assert.deepEqual(await readdir(directory), ['key'])
      assert.equal(await readFile(join(directory, 'key'), 'utf8'), 'ours')
    })
  }

  test('does not overwrite a file that another process has created meanwhile', async () => {
    const directory = at('meanwhile')
    await mkdir(directory)
    const file = join(directory, 'key')
    withoutLinks('EPERM', () => writeFile(file, 'theirs'))
    const { code, stderr } = await program.run(['signing-keys', 'generate', file])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /key cannot be created: another file has its name\. Give another name\. Its content is in \S+\.part\./,
    )
    assert.equal(await readFile(file, 'utf8'), 'theirs')
  })
})
