import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyCache } from './key-cache.ts'

/** A source of keys that counts its reads. */
function source(...ids: number[]) {
  const rows = ids.map((id) => ({ id }))
  let reads = 0
  return {
    rows,
    reads: () => reads,
    newerThan: async (id: number) => {
      reads++
      return rows.filter((row) => row.id > id)
    },
    add: async () => false,
  }
}

const TIMES = { refreshMs: 3_600_000, lookupMs: 0 }

async function cacheOf(from: ReturnType<typeof source>) {
  const cache = new KeyCache(from, TIMES)
  await cache.fresh()
  return cache
}

test('a request that names several unknown keys waits for one look-up', async () => {
  const from = source(1)
  const cache = await cacheOf(from)
  const since = performance.now()
  from.rows.push({ id: 2 })
  for (let id = 2; id < 26; id++) assert.equal((await cache.find(id, since))?.id, id === 2 ? 2 : undefined)
  assert.equal(from.reads(), 2)
})

test('after a failed look-up, later requests do not look for the key until another key is found', async () => {
  const from = source(1)
  const cache = await cacheOf(from)
  for (let request = 0; request < 50; request++) {
    assert.equal(await cache.find(3, performance.now()), undefined)
  }
  assert.equal(from.reads(), 2)
  from.rows.push({ id: 2 }, { id: 3 })
  assert.equal((await cache.find(2, performance.now()))?.id, 2)
  assert.equal((await cache.find(3, performance.now()))?.id, 3)
})

test('requests that name an unknown key at the same time share a look-up', async () => {
  const from = source(1)
  const cache = await cacheOf(from)
  from.rows.push({ id: 2 })
  const found = await Promise.all(Array.from({ length: 50 }, () => cache.find(2, performance.now())))
  assert.ok(found.every((key) => key?.id === 2))
  assert.equal(from.reads(), 2)
})

test('a failed look-up does not mark a key as absent', async () => {
  const from = source(1)
  const cache = await cacheOf(from)
  const { newerThan } = from
  from.newerThan = () => Promise.reject(new Error('away'))
  await assert.rejects(cache.find(2, performance.now()), { message: 'away' })
  from.newerThan = newerThan
  from.rows.push({ id: 2 })
  assert.equal((await cache.find(2, performance.now()))?.id, 2)
})
