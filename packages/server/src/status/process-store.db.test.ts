import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { eachDatabase } from '../../test/support/databases.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { Database } from '../database/index.ts'
import { announcePresence } from './presence.ts'
import { type ProcessStore, processStore } from './process-store.ts'

eachDatabase((_kind, open) => {
  let database: Database
  let processes: ProcessStore
  before(async () => {
    database = await open()
    processes = processStore(database)
  })
  const age = (milliseconds: number) =>
    database.query
      .updateTable('service_process')
      .set((set) => ({ seen_at: set('seen_at', '-', milliseconds) }))
      .execute()

  test('a process counts as running while it sends heartbeats', async () => {
    const one = { host: 'a', release: '1.0.0' }
    await processes.heartbeat('1', one)
    await processes.heartbeat('1', one)
    await processes.heartbeat('2', one)
    assert.deepEqual(await processes.running(), [one, one])
    await processes.leave('2')
    assert.deepEqual(await processes.running(), [one])
    await age(100_000)
    assert.deepEqual(await processes.running(), [])
    await processes.heartbeat('1', one)
    assert.deepEqual(await processes.running(), [one])
    await age(1_000_000)
    await processes.heartbeat('3', one)
    const rows = await database.query.selectFrom('service_process').select('id').execute()
    assert.deepEqual(rows, [{ id: '3' }])
    await processes.leave('3')
  })

  test('heartbeats begin and end with the process', async () => {
    const errors: unknown[] = []
    const presence = announcePresence({
      ...{ processes, process: { host: 'b', release: '1.0.0' }, everyMs: 5 },
      onError: (error) => errors.push(error),
    })
    await eventually('it is there', async () => (await processes.running()).length === 1)
    await presence.stop()
    assert.deepEqual([await processes.running(), errors], [[], []])
  })
})
