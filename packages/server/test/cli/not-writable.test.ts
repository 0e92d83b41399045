/** With an embedded database that cannot be read or written, commands say so, and what only reads works. */
import assert from 'node:assert/strict'
import fs, { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, before, describe, mock, test } from 'node:test'
import { type Database, openDatabase } from '../../src/database/index.ts'
import { testProgram } from '../support/program.ts'

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
      const { code, stderr } = await program.run(['signing-keys', 'generate', join(directory, 'key')])
      assert.equal(code, 0, stderr)
      assert.deepEqual(await readdir(directory), ['key'])
      assert.match(await readFile(join(directory, 'key'), 'utf8'), /^-----BEGIN /)
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
