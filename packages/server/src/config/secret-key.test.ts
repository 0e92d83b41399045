import assert from 'node:assert/strict'
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import { ConfigError } from './config.ts'
import { prepareDataDirectory } from './data-directory.ts'
import {
  readPreviousSecretKey,
  readSecretKey,
  replaceSecretKey,
  rereadSecretKeys,
  retireSecretKey,
} from './secret-key.ts'
import type { SecretConfig } from './secrets/sources.ts'

const KEY = Buffer.alloc(32, 0xfb)
let directory: string
let data: string
let file: string
let made: SecretConfig
let given: SecretConfig
suite('the secret key', () => {
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-secret-'))
  })
  after(() => rm(directory, { recursive: true }))
  let number = 0
  beforeEach(() => {
    data = join(directory, String(++number), 'data')
    file = join(data, 'secret.key')
    made = { from: 'file', file, makeBefore: join(data, 'ratafia.db') }
    given = { from: 'file', file, makeBefore: undefined }
  })

  const modeOf = async (path: string) => (await stat(path)).mode & 0o777
  const refused = (pattern: RegExp) => (error: Error) => {
    assert.ok(error instanceof ConfigError, String(error))
    assert.match(error.message, pattern)
    return true
  }

  test('a key in a variable is used as it is', async () => {
    assert.deepEqual(await readSecretKey({ from: 'variable', key: KEY }), { key: KEY, warnings: [] })
  })

  test('it is made once, readable only by its owner, and found again', async () => {
    const first = await readSecretKey(made)
    assert.equal(first.key.length, 32)
    assert.deepEqual([await modeOf(data), await modeOf(file)], [0o700, 0o600])
    assert.deepEqual(await readSecretKey(made), { key: first.key, warnings: [] })
    assert.deepEqual(await readSecretKey(given), { key: first.key, warnings: [] })
    assert.deepEqual(await readdir(data), ['secret.key'])
  })

  test('of many that start at once all end with the same key', async () => {
    const keys = await Promise.all(Array.from({ length: 50 }, () => readSecretKey(made)))
    assert.equal(new Set(keys.map(({ key }) => Buffer.from(key).toString('hex'))).size, 1)
    assert.deepEqual(await readdir(data), ['secret.key'])
  })

  test('a lost key is not replaced: the database is sealed under it', async () => {
    await mkdir(data, { recursive: true })
    await writeFile(join(data, 'ratafia.db'), '')
    await assert.rejects(
      readSecretKey(made),
      refused(/^RATAFIA_DATA_DIR: .*secret\.key is missing.* Restore the file/),
    )
    assert.deepEqual(await readdir(data), ['ratafia.db'])
  })

  test('a file that others can read is used, with a warning that says what to do', async () => {
    const { key } = await readSecretKey(made)
    for (const mode of [0o640, 0o604]) {
      await chmod(file, mode)
      assert.deepEqual(await readSecretKey(made), {
        key,
        warnings: [`${file} can be read by others: chmod 600 ${file}`],
      })
    }
  })

  for (const [content, what] of [
    ['', 'an empty file'],
    ['garbage-that-is-secret', 'garbage'],
    [`${KEY.toString('base64')}${KEY.toString('base64')}`, 'two keys'],
    ['\0'.repeat(32), 'bytes'],
  ] as const) {
    test(`${what} is refused by its path, and not repeated`, async () => {
      await mkdir(data, { recursive: true })
      await writeFile(file, content)
      for (const [secret, variable] of [
        [given, 'RATAFIA_SECRET_KEY_FILE'],
        [made, 'RATAFIA_DATA_DIR'],
      ] as const) {
        await assert.rejects(readSecretKey(secret), (error: Error) => {
          refused(new RegExp(`^${variable}: .*secret\\.key is not a key of 32 bytes`))(error)
          return !error.message.includes('garbage')
        })
      }
      assert.equal(await readFile(file, 'utf8'), content)
    })
  }

  test('a file that does not exist, or has no key, is refused with the variable that names it', async () => {
    await assert.rejects(
      readSecretKey(given),
      refused(
        /^RATAFIA_SECRET_KEY_FILE: .* cannot be read: there is no such file or directory\. Check the path\.$/,
      ),
    )
    await mkdir(file, { recursive: true })
    await assert.rejects(
      readSecretKey(given),
      refused(/^RATAFIA_SECRET_KEY_FILE: .* cannot be read: it is a directory\. Name a file\.$/),
    )
  })

  test('a data directory that cannot be made is refused by name', async () => {
    await mkdir(join(data, '..'), { recursive: true })
    await writeFile(data, 'a file in its place')
    for (const attempt of [() => readSecretKey(made), () => prepareDataDirectory(data)]) {
      await assert.rejects(
        attempt,
        refused(
          /^RATAFIA_DATA_DIR: .* cannot be written to: something else has its name\. Give another name\. Give the service/,
        ),
      )
    }
  })

  test('a data directory that cannot be written to is refused by name', async () => {
    await mkdir(data, { recursive: true })
    await chmod(data, 0o500)
    // No mode keeps root out, but root cannot make a directory below a device either.
    const closed = process.getuid?.() === 0 ? '/dev/null/data' : data
    await assert.rejects(
      prepareDataDirectory(closed),
      refused(
        /^RATAFIA_DATA_DIR: .* cannot be written to: (this user is not allowed to|a part of its path is not a directory)\./,
      ),
    )
  })

  // Node's own `mkdir` with `recursive` goes round and round there: the test ends, with a refusal.
  test('a data directory where nothing can be made is refused by name', {
    skip: process.platform !== 'linux',
  }, async () => {
    await assert.rejects(
      prepareDataDirectory('/proc/ratafia/data'),
      refused(
        /^RATAFIA_DATA_DIR: \/proc\/ratafia\/data cannot be written to: there is no such file or directory\./,
      ),
    )
  })

  test('a data directory is made with the directories above it, for its owner alone', async () => {
    const deep = join(data, 'a', 'b')
    await prepareDataDirectory(deep)
    await prepareDataDirectory(deep)
    for (const each of [data, join(data, 'a'), deep]) assert.equal((await stat(each)).mode & 0o777, 0o700)
  })

  test('a new key takes the place of the file, the old one is kept beside it; repeated, nothing more happens', async () => {
    const { key: old } = await readSecretKey(made)
    const previous = `${file}.previous`
    assert.equal(await readPreviousSecretKey({ from: 'file', file: previous }), undefined)
    assert.equal(await replaceSecretKey(file, previous), true)
    const { key } = await readSecretKey(made)
    assert.notDeepEqual(key, old)
    assert.deepEqual(await readPreviousSecretKey({ from: 'file', file: previous }), {
      key: old,
      warnings: [],
    })
    assert.equal(await modeOf(file), 0o600)
    assert.equal(await replaceSecretKey(file, previous), false)
    assert.deepEqual(rereadSecretKeys(made, { from: 'file', file: previous }), {
      current: key,
      previous: old,
    })
    const retired = await retireSecretKey(previous, 'retired-1234')
    assert.equal(retired, `${file}.retired-1234`)
    assert.equal(await retireSecretKey(previous, 'retired-1234'), undefined)
    assert.deepEqual(rereadSecretKeys(made, { from: 'file', file: previous }), {
      current: key,
      previous: undefined,
    })
    assert.deepEqual((await readdir(data)).sort(), ['secret.key', 'secret.key.retired-1234'])
  })

  test('a crash between the copy of the old key and the new one is taken up', async () => {
    const { key: old } = await readSecretKey(made)
    const previous = `${file}.previous`
    await link(file, previous)
    assert.equal(await replaceSecretKey(file, previous), true)
    assert.notDeepEqual((await readSecretKey(made)).key, old)
    assert.deepEqual((await readPreviousSecretKey({ from: 'file', file: previous }))?.key, old)
  })

  test('secrets in variables are not read again, and an incomplete file is ignored', async () => {
    const variable = { from: 'variable', key: KEY } as const
    assert.equal(rereadSecretKeys(variable, undefined), undefined)
    assert.equal(rereadSecretKeys(variable, variable), undefined)
    await readSecretKey(made)
    await writeFile(`${file}.previous`, 'half')
    assert.equal(rereadSecretKeys(made, { from: 'file', file: `${file}.previous` }), undefined)
  })
})
