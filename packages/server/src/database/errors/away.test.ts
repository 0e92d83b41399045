import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { Unavailable } from '../../errors.ts'
import { openDatabase } from '../index.ts'
import { translateAway } from './away.ts'

suite('errors that mean that the database is unavailable', () => {
  const coded = (code: string, message = 'from the driver') => Object.assign(new Error(message), { code })
  const sqlite = (errcode: number) =>
    Object.assign(new Error('from the driver'), { code: 'ERR_SQLITE_ERROR', errcode })
  const away = [
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].map((code) =>
      coded(code),
    ),
    ...['08006', '53300', '57P01', '57P03', '57014', '58030', '25006', '40001', '40P01', '28P01'].map((c) =>
      coded(c),
    ),
    ...['42501', '3F000'].map((c) => coded(c)),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    // SQLITE_BUSY, _READONLY, _IOERR_WRITE (extended), _CORRUPT, _FULL, _CANTOPEN, _NOTADB.
    ...[5, 8, 778, 11, 13, 14, 26].map(sqlite),
  ]
  const own = [
    ...['23505', '23503', '23502', '42P01', '42601', '22021', '25P02'].map((code) => coded(code)),
    ...[1, 19, 2067, 1555, 787, 20].map(sqlite),
    new Error('boom'),
    'no error at all',
    undefined,
  ]
  for (const error of away) {
    test(`away: ${JSON.stringify({ ...error })} ${error.message}`, () => {
      const translated = translateAway(error)
      assert.ok(translated instanceof Unavailable)
      assert.ok(translated.message.startsWith(`The database cannot be used: ${error.message}`))
      assert.equal(translated.cause, error)
      assert.equal(translateAway(translated), translated)
    })
  }
  for (const error of own) {
    test(`not away: ${error instanceof Error ? `${JSON.stringify({ ...error })} ${error.message}` : error}`, () => {
      assert.equal(translateAway(error), error)
    })
  }
})

suite('a database that cannot be opened is Unavailable, with the reason', () => {
  test('connection refused', async () => {
    const url = 'postgres://user:hunter2@127.0.0.1:1/none'
    await assert.rejects(openDatabase({ kind: 'postgres', url }), (error: unknown) => {
      assert.ok(error instanceof Unavailable)
      assert.match(error.message, /^The database cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\. Start/)
      return true
    })
  })

  test('does not quote a rejected password', async () => {
    const url = new URL(process.env['RATAFIA_TEST_POSTGRES_URL'] ?? '')
    url.password = 'hunter2'
    await assert.rejects(openDatabase({ kind: 'postgres', url: url.href }), (error: unknown) => {
      assert.ok(error instanceof Unavailable)
      assert.match(error.message, /password authentication failed/)
      assert.doesNotMatch(JSON.stringify({ ...error, cause: { ...(error.cause as Error) } }), /hunter2/)
      return true
    })
  })

  test('a file that is not a database', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ratafia-test-'))
    after(() => rm(directory, { recursive: true }))
    const file = join(directory, 'ratafia.db')
    await writeFile(file, 'a text of more than the hundred bytes of a header. '.repeat(20))
    await chmod(file, 0o600)
    await assert.rejects(openDatabase({ kind: 'sqlite', file }), {
      name: 'Unavailable',
      message:
        /^The database \/\S+\/ratafia\.db cannot be used: .*file is not a database\. Restore a backup, or/,
    })
    await assert.rejects(openDatabase({ kind: 'sqlite', file: join(file, 'below.db') }), {
      name: 'Unavailable',
    })
  })
})
