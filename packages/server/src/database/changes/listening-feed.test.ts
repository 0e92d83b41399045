import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ListenerEvents } from './change-listener.ts'
import { ListeningFeed } from './listening-feed.ts'
import { createMemory, type Memory } from './remembering.ts'
import type { FindUnheard } from './unheard.ts'

interface Row {
  readonly id: string
}

/** It only ends a test that would wait forever. */
const PATIENCE_MS = 150_000

/** A network that loses what is sent while it is silent, and then goes on as if nothing had been. TCP never does. */
let silent: boolean
let feed: ListeningFeed
let memory: Memory<Row>
let reads: number
let hear: (channel: string, payload: string) => void
let beatChannel: string
let events: ListenerEvents | undefined
/** What the next look finds. */
let findUnheard: FindUnheard

const NOTHING: FindUnheard = async () => new Set()

suite('a memory that listens', () => {
  beforeEach(() => {
    silent = false
    reads = 0
    findUnheard = NOTHING
    const send = async (channel: string, payload: string) => hear(channel, payload)
    hear = (channel, payload) => silent || events?.notified(channel, payload)
    const listen = ([, beats]: readonly [string, string], told: ListenerEvents) => {
      events = told
      beatChannel = beats
      return { reconnect: () => {}, close: async () => {} }
    }
    feed = new ListeningFeed({ send, onOwnChange: () => {} }, listen, () => findUnheard())
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
    const listen = () => ({ reconnect: () => {}, close: async () => {} })
    feed = new ListeningFeed({ send, onOwnChange: () => {} }, listen, NOTHING)
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
    let lost = 0
    let beats = 0
    const before = hear
    hear = (channel, payload) => {
      before(channel, payload)
      if (channel !== beatChannel) return
      if (silent) lost++
      else beats++
    }
    silent = true
    revoke()
    await until(() => lost > 0)
    silent = false
    await until(() => beats > 0)
    await find()
    assert.equal(reads, 2)
  })

  const listenAgain = () => {
    events?.lost()
    events?.listening()
  }

  test('Guarantee: nothing is remembered until a look has found what is unheard, however often it fails', async () => {
    await remember()
    let looks = 0
    findUnheard = async () => {
      looks++
      throw new Error('no answer')
    }
    listenAgain()
    await until(() => looks > 2)
    assert.ok(feed.lag() < PATIENCE_MS, 'beats are heard')
    assert.equal(feed.current(), false)
    await find()
    await find()
    assert.equal(reads, 3)
    findUnheard = NOTHING
    await until(() => feed.current())
  })

  test('Guarantee: a look counts for the connection that it was made for, and no other', async () => {
    await remember()
    const { promise, resolve } = Promise.withResolvers<ReadonlySet<never>>()
    findUnheard = () => promise
    listenAgain()
    findUnheard = async () => new Set(['token-session'])
    listenAgain()
    resolve(new Set())
    await until(() => feed.current())
    assert.equal(feed.current('account'), true)
    assert.equal(feed.current('account', 'token-session'), false)
    await find()
    await find()
    assert.equal(reads, 3)
  })
})
