/** Guarantee: for every system error about a file, messages name the file, the problem, and what to do. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { prepareDataDirectory } from '../../config/data-directory.ts'
import { readSecretText } from '../../config/secrets/secret-text.ts'
import { translateAway } from '../../database/errors/away.ts'
import { systemReason } from '../../text/system-reason.ts'
import { writeText } from '../files/write-whole.ts'
import { readNamed, withNewFile } from '../files.ts'
import { explainFailure } from './explain-failure.ts'

/** The codes that Linux can return for a path that a user gave. */
const CODES = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'EIO', 'EBUSY', 'ETXTBSY'],
  ...['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ELOOP', 'ENAMETOOLONG', 'EXDEV', 'ESTALE'],
]

for (const code of CODES) {
  const refused = (where: object) =>
    Object.assign(new Error(`${code}: from the system`), { code, syscall: 'open' }, where)

  test(`${code} has a reason and a remedy`, () => {
    assert.match(systemReason(refused({})), /^[a-z][^.]+\. [A-Z][^.]+(fs\.file-max[^.]+)?$/)
  })

  test(`an unexpected ${code} names the file and asks for no bug report`, () => {
    const { exitCode, code: kind, lines, report } = explainFailure(refused({ path: '/srv/x y' }))
    assert.deepEqual([exitCode, kind, report], [1, 'file', undefined])
    assert.equal(lines.join(), `/srv/x y cannot be used (open): ${systemReason(refused({}))}.`)
    assert.match(explainFailure(refused({})).lines.join(), /^A file cannot be used/)
  })
}

/** Primary result codes, by their names. */
const SQLITE_CODES = {
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
}
for (const [name, errcode] of Object.entries(SQLITE_CODES)) {
  test(`${name} names the file of the database, with a remedy`, () => {
    const error = Object.assign(new Error('from SQLite'), { code: 'ERR_SQLITE_ERROR', errcode })
    const { code, lines } = explainFailure(translateAway(error, '/srv/ratafia.db'))
    assert.equal(code, 'unavailable')
    assert.match(lines.join(), /^The database \/srv\/ratafia\.db cannot be used: from SQLite\. [A-Z].+\.$/)
    assert.doesNotMatch(lines.join(), /Nothing is lost/)
  })
}

test('every function that opens a file names its path, the problem, and what to do', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-names-'))
  const long = join(directory, 'x'.repeat(300))
  const below = join(long, 'y')
  const places: readonly (() => Promise<unknown>)[] = [
    () => readNamed(long),
    () => writeText('', long),
    () => withNewFile(below, { otherwise: 'Nothing was created.' }, async () => undefined),
    () => prepareDataDirectory(long),
    () => readSecretText({ from: 'file', file: long, variable: 'RATAFIA_SECRET_KEY_FILE', parse: String }),
  ]
  try {
    for (const place of places) {
      await assert.rejects(place, (error: Error) => {
        assert.ok(error.message.includes(long), error.message)
        assert.match(error.message, /: the name is too long\. Give a shorter name\./)
        return true
      })
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
})
