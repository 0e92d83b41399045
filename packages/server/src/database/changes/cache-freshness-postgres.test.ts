import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresCacheFreshness } from './cache-freshness-postgres.ts'
import type { ListenerEvents } from './change-listener.ts'
import { createMemory, type Memory } from './memory.ts'
import type { FindUnannounced } from './tables-without-triggers.ts'

interface Row {
  readonly id: string
}

/** Only ends a test that would wait forever. */
const PATIENCE_MS = 150_000

/** Whether the network loses everything sent, without an error afterwards. TCP never does this. */
let silent: boolean
let freshness: PostgresCacheFreshness
let memory: Memory<Row>
let reads: number
let deliver: (channel: string, payload: string) => void
let heartbeatChannel: string
let events: ListenerEvents | undefined
/** The result of the next check. */
let findUnannounced: FindUnannounced

const NOTHING: FindUnannounced = async () => new Set()

suite('a memory that listens', () => {
  beforeEach(() => {
    silent = false
    reads = 0
    findUnannounced = NOTHING
    const send = async (channel: string, payload: string) => deliver(channel, payload)
    deliver = (channel, payload) => silent || events?.notified(channel, payload)
    const listen = ([, heartbeats]: readonly [string, string], told: ListenerEvents) => {
      events = told
      heartbeatChannel = heartbeats
      return { reconnect: () => {}, close: async () => {} }
    }
    freshness = new PostgresCacheFreshness({ send, onOwnChange: () => {} }, listen, () => findUnannounced())
    events?.listening()
    memory = createMemory(freshness, { name: 'rows', dependsOn: ({ id }) => [{ kind: 'token-session', id }] })
  })
  afterEach(() => freshness.close())

  const find = () =>
    memory.find('s1', async () => {
      reads++
      return { id: 's1' }
    })

  async function until(what: () => boolean): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; !what(); await sleep(5)) {
      assert.ok(performance.now() < end, `timed out waiting for ${what}`)
    }
  }

  /** Checks that the value is cached at first; otherwise the tests below would show nothing. */
  async function remember(): Promise<void> {
    await until(() => freshness.current())
    await find()
    await find()
    assert.equal(reads, 1)
  }

  const revoke = () => deliver('ratafia_change', 'token-session s1')

  test('sends heartbeats even while nothing listens, because database answers are not trusted without them', async () => {
    await freshness.close()
    let sent = 0
    const send = async () => {
      sent++
    }
    const listen = () => ({ reconnect: () => {}, close: async () => {} })
    freshness = new PostgresCacheFreshness({ send, onOwnChange: () => {} }, listen, NOTHING)
    await until(() => sent > 1)
    assert.equal(freshness.current(), false)
  })

  test('a received change takes effect at once', async () => {
    await remember()
    revoke()
    await find()
    assert.equal(reads, 2)
  })

  test('Guarantee: values cached before a silence are not used after it, even if a change was lost in it', async () => {
    await remember()
    silent = true
    revoke()
    await until(() => !freshness.current())
    silent = false
    await until(() => freshness.current())
    await find()
    assert.equal(reads, 2)
  })

  test('Guarantee: a lost heartbeat also empties the cache, because a change may have been lost with it', async () => {
    await remember()
    let lost = 0
    let heartbeats = 0
    const before = deliver
    deliver = (channel, payload) => {
      before(channel, payload)
      if (channel !== heartbeatChannel) return
      if (silent) lost++
      else heartbeats++
    }
    silent = true
    revoke()
    await until(() => lost > 0)
    silent = false
    await until(() => heartbeats > 0)
    await find()
    assert.equal(reads, 2)
  })

  const listenAgain = () => {
    events?.lost()
    events?.listening()
  }

  test('Guarantee: nothing is cached until a check has found the unannounced kinds, however often it fails', async () => {
    await remember()
    let looks = 0
    findUnannounced = async () => {
      looks++
      throw new Error('no answer')
    }
    listenAgain()
    await until(() => looks > 2)
    assert.ok(freshness.lag() < PATIENCE_MS, 'heartbeats come back')
    assert.equal(freshness.current(), false)
    await find()
    await find()
    assert.equal(reads, 3)
    findUnannounced = NOTHING
    await until(() => freshness.current())
  })

  test('Guarantee: a check is valid only for the connection that it was made for', async () => {
    await remember()
    const { promise, resolve } = Promise.withResolvers<ReadonlySet<never>>()
    findUnannounced = () => promise
    listenAgain()
    findUnannounced = async () => new Set(['token-session'])
    listenAgain()
    resolve(new Set())
    await until(() => freshness.current())
    assert.equal(freshness.current('account'), true)
    assert.equal(freshness.current('account', 'token-session'), false)
    await find()
    await find()
    assert.equal(reads, 3)
  })
})
