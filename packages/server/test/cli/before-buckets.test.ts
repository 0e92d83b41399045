/**
 * Guarantee: a database from before devices had buckets is brought up to date with all that it has. The backup in
 * `test/data` is one of a service that registered devices and opened and refreshed their sessions.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eachDatabase, withoutTables } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

const FILE = join(import.meta.dirname, '../data/before-buckets.backup')
const environment = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(withoutTables(fresh))
  const done = async (...words: string[]) => {
    const { code, stdout, stderr } = await program.run(words, { environment })
    assert.equal(code, 0, `${stdout}${stderr}`)
    return stdout
  }

  test('a backup of one is restored, verifies, and has its devices and their sessions', async () => {
    await done('restore', FILE)
    await done('verify')
    const list = async (...words: string[]) =>
      JSON.parse(await done('devices', 'list', '--json', '--all', ...words))
    const devices = await list()
    const count = (status: string) =>
      devices.filter((row: { status: string }) => row.status === status).length
    assert.deepEqual([count('active'), count('pending'), count('revoked')], [42, 14, 1])
    const opened = await list('--session-since', '2020-01-01')
    assert.ok(opened.length > 10, `${opened.length} had a session`)
    assert.equal((await list('--without-session')).length, devices.length - opened.length)
  })
})
