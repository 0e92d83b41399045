import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ListenerEvents } from './change-listener.ts'
import { BEAT_MS, ListeningFeed } from './listening-feed.ts'
import { createMemory, type Memory } from './remembering.ts'

interface Row {
  readonly id: string
}

const PATIENCE_MS = 10_000

/** A network that loses what is sent while it is silent, and then goes on as if nothing had been. TCP never does. */
let silent: boolean
let feed: ListeningFeed
let memory: Memory<Row>
let reads: number
let hear: (channel: string, payload: string) => void
let beatChannel: string

suite('a memory that listens', () => {
  beforeEach(() => {
    silent = false
    reads = 0
    let events: ListenerEvents | undefined
    const send = async (channel: string, payload: string) => hear(channel, payload)
    hear = (channel, payload) => silent || events?.notified(channel, payload)
    feed = new ListeningFeed({ send, onOwnChange: () => {} }, ([, beats], told) => {
      events = told
      beatChannel = beats
      return { reconnect: () => {}, close: async () => {} }
    })
    events?.listening()
    memory = createMemory(feed, { name: 'rows', dependsOn: ({ id }) => [{ kind: 'token-session', id }] })
  })
  afterEach(() => feed.close())

  const find = () =>
    memory.find('s1', async () => {
      reads++
      return { id: 's1' }
    })

  async function until(what: () => boolean): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; !what(); await sleep(5)) {
      assert.ok(performance.now() < end, `waited in vain for ${what}`)
    }
  }

  /** Nothing below shows anything unless the value is remembered at first. */
  async function remember(): Promise<void> {
    await until(() => feed.current())
    await find()
    await find()
    assert.equal(reads, 1)
  }

  const revoke = () => hear('ratafia_change', 'token-session s1')

  test('beats are sent while nothing listens too: without them no answer of the database counts', async () => {
    await feed.close()
    let sent = 0
    const send = async () => {
      sent++
    }
    feed = new ListeningFeed({ send, onOwnChange: () => {} }, () => ({
      reconnect: () => {},
      close: async () => {},
    }))
    await until(() => sent > 1)
    assert.equal(feed.current(), false)
  })

  test('a change that is heard is known at once', async () => {
    await remember()
    revoke()
    await find()
    assert.equal(reads, 2)
  })

  test('Guarantee: what was remembered before a silence is not used after it, even if a change was lost in it', async () => {
    await remember()
    silent = true
    revoke()
    await until(() => !feed.current())
    silent = false
    await until(() => feed.current())
    await find()
    assert.equal(reads, 2)
  })

  test('Guarantee: a lost beat, too, makes everything forgotten: a change may have been lost with it', async () => {
    await remember()
    silent = true
    revoke()
    await sleep(1.2 * BEAT_MS)
    silent = false
    let beats = 0
    const before = hear
    hear = (channel, payload) => {
      before(channel, payload)
      if (channel === beatChannel) beats++
    }
    await until(() => beats > 0)
    await find()
    assert.equal(reads, 2)
  })
})
