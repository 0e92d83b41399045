import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from './limits.ts'
import { PostgresPool } from './pool.ts'

test('a heartbeat that fails after the pool was closed does not close anything twice', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  try {
    const limits = { ...DEFAULT_LIMITS, confirmMs: 0 }
    const pool = new PostgresPool(`postgres://a:b@127.0.0.1:${address.port}/c`, limits)
    const heartbeat = assert.rejects(pool.heartbeat({ channel: 'c', payload: 'p' }))
    await Promise.all([heartbeat, pool.close()])
    // Rejections are reported once the queue of promises is empty.
    await new Promise((later) => setImmediate(later))
    assert.deepEqual(rejections, [])
  } finally {
    process.off('unhandledRejection', note)
    server.close()
  }
})
