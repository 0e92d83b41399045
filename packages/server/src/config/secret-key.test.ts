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

  test('uses a key in a variable unchanged', async () => {
    assert.deepEqual(await readSecretKey({ from: 'variable', key: KEY }), { key: KEY, warnings: [] })
  })

  test('creates the key once, readable only by its owner, and finds it again', async () => {
    const first = await readSecretKey(made)
    assert.equal(first.key.length, 32)
    assert.deepEqual([await modeOf(data), await modeOf(file)], [0o700, 0o600])
    assert.deepEqual(await readSecretKey(made), { key: first.key, warnings: [] })
    assert.deepEqual(await readSecretKey(given), { key: first.key, warnings: [] })
    assert.deepEqual(await readdir(data), ['secret.key'])
  })

  test('many processes that start at once use the same key', async () => {
    const keys = await Promise.all(Array.from({ length: 50 }, () => readSecretKey(made)))
    assert.equal(new Set(keys.map(({ key }) => Buffer.from(key).toString('hex'))).size, 1)
    assert.deepEqual(await readdir(data), ['secret.key'])
  })

  test('does not replace a lost key that the database is sealed under', async () => {
    await mkdir(data, { recursive: true })
    await writeFile(join(data, 'ratafia.db'), '')
    await assert.rejects(
      readSecretKey(made),
      refused(/^RATAFIA_DATA_DIR: .*secret\.key is missing.* Restore the file/),
    )
    assert.deepEqual(await readdir(data), ['ratafia.db'])
  })

  test('uses a file that others can read, with a warning that explains what to do', async () => {
    const { key } = await readSecretKey(made)
    for (const mode of [0o640, 0o604]) {
      await chmod(file, mode)
      assert.deepEqual(await readSecretKey(made), {
        key,
        warnings: [`Other users can read ${file}. Run chmod 600 ${file}`],
      })
    }
  })

  for (const [content, what] of [
    ['', 'an empty file'],
    ['garbage-that-is-secret', 'garbage'],
    [`${KEY.toString('base64')}${KEY.toString('base64')}`, 'two keys'],
    ['\0'.repeat(32), 'bytes'],
  ] as const) {
    test(`refuses ${what} with its path, without repeating it`, async () => {
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

  test('refuses a missing file or a directory, and names the variable', async () => {
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

  test('refuses a data directory that cannot be created, and names the variable', async () => {
    await mkdir(join(data, '..'), { recursive: true })
    await writeFile(data, 'a file in its place')
    for (const attempt of [() => readSecretKey(made), () => prepareDataDirectory(data)]) {
      await assert.rejects(
        attempt,
        refused(
          /^RATAFIA_DATA_DIR: .* cannot be written to: another file has its name\. Give another name\. Give the service/,
        ),
      )
    }
  })

  test('refuses a data directory that cannot be written to, and names the variable', async () => {
    await mkdir(data, { recursive: true })
    await chmod(data, 0o500)
    // Modes don't restrict root, but even root cannot create a directory below a device.
    const closed = process.getuid?.() === 0 ? '/dev/null/data' : data
    await assert.rejects(
      prepareDataDirectory(closed),
      refused(
        /^RATAFIA_DATA_DIR: .* cannot be written to: (this user is not allowed to|a part of its path is not a directory)\./,
      ),
    )
  })

  // Node's own recursive `mkdir` would loop forever there.
  test('refuses a data directory in which no file can be created, and names the variable', {
    skip: process.platform !== 'linux',
  }, async () => {
    await assert.rejects(
      prepareDataDirectory('/proc/ratafia/data'),
      refused(
        /^RATAFIA_DATA_DIR: \/proc\/ratafia\/data cannot be written to: there is no such file or directory\./,
      ),
    )
  })

  test('creates a data directory and its parents, accessible only to the owner', async () => {
    const deep = join(data, 'a', 'b')
    await prepareDataDirectory(deep)
    await prepareDataDirectory(deep)
    for (const each of [data, join(data, 'a'), deep]) assert.equal((await stat(each)).mode & 0o777, 0o700)
  })

  test('replaces the key in the file once, and keeps the old key next to it', async () => {
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

  test('continues after a crash between copying the old key and writing the new one', async () => {
    const { key: old } = await readSecretKey(made)
    const previous = `${file}.previous`
    await link(file, previous)
    assert.equal(await replaceSecretKey(file, previous), true)
    assert.notDeepEqual((await readSecretKey(made)).key, old)
    assert.deepEqual((await readPreviousSecretKey({ from: 'file', file: previous }))?.key, old)
  })

  test('does not read secrets in variables again, and ignores an incomplete file', async () => {
    const variable = { from: 'variable', key: KEY } as const
    assert.equal(rereadSecretKeys(variable, undefined), undefined)
    assert.equal(rereadSecretKeys(variable, variable), undefined)
    await readSecretKey(made)
    await writeFile(`${file}.previous`, 'half')
    assert.equal(rereadSecretKeys(made, { from: 'file', file: `${file}.previous` }), undefined)
  })
})
