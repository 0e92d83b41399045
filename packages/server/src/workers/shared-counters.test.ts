import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Counters, localCounters, type Rule } from '../limits/counters.ts'
import type { FromWorker } from './messages.ts'
import { sharedCounters } from './shared-counters.ts'

const RULE: Rule = { name: 'rule', burst: 2, interval: 60_000 }
const one = [{ rule: RULE, key: 'key' }]
const clock = () => new Date(0)
const local = () => localCounters({ clock })

/** Returns a worker whose supervisor counts with `counters`. */
function workerOf(counters: Counters, connected = () => true, sent: number[] = []) {
  const worker = sharedCounters({
    fallback: local(),
    send: (message: FromWorker) => {
      if (!connected()) return false
      if (message.ratafia === 'take') {
        sent.push(message.asked.length)
        void Promise.all(message.asked.map((counted) => counters.take(counted))).then((taken) =>
          worker.answer(message.id, taken),
        )
      } else if (message.ratafia === 'give-back') counters.giveBack(message.counted)
      return true
    },
  })
  return worker
}

test('workers share their counts', async () => {
  const counters = local()
  const [a, b] = [workerOf(counters), workerOf(counters)]
  assert.deepEqual(await a.take(one), { allowed: true })
  assert.deepEqual(await b.take(one), { allowed: true })
  assert.deepEqual(await a.take(one), { allowed: false, waitMs: 60_000 })
  b.giveBack(one)
  assert.deepEqual(await a.take(one), { allowed: true })
})

test('sends concurrent questions in one message, and answers each', async () => {
  const sent: number[] = []
  const worker = workerOf(local(), undefined, sent)
  const taken = await Promise.all([worker.take(one), worker.take(one), worker.take(one)])
  assert.deepEqual(
    taken.map(({ allowed }) => allowed),
    [true, true, false],
  )
  await worker.take(one)
  assert.deepEqual(sent, [3, 1])
})

test('a worker without a supervisor counts by itself', async () => {
  let connected = true
  const worker = workerOf(local(), () => connected)
  await worker.take(one)
  connected = false
  assert.deepEqual(await Promise.all([worker.take(one), worker.take(one)]), [
    { allowed: true },
    { allowed: true },
  ])
  assert.equal((await worker.take(one)).allowed, false)
  worker.giveBack(one)
  assert.equal((await worker.take(one)).allowed, true)
})

test('a supervisor that does not answer, or has too many questions, does not delay requests', async () => {
  const options = { fallback: local(), send: () => true }
  const silent = sharedCounters({ ...options, patienceMs: 1 })
  assert.deepEqual(await silent.take(one), { allowed: true })
  // An answer that arrives too late is ignored.
  silent.answer(1, [{ allowed: false, waitMs: 1 }])
  const full = sharedCounters({ ...options, waiting: 0, patienceMs: 2 ** 30 })
  assert.deepEqual(await full.take(one), { allowed: true })
})

test('takes from all of several buckets, or from none of them', async () => {
  const counters = local()
  const other = { rule: { ...RULE, name: 'other' }, key: 'key' }
  await counters.take(one)
  await counters.take(one)
  assert.equal((await counters.take([...one, other])).allowed, false)
  assert.equal((await counters.take([other])).allowed, true)
  assert.equal((await counters.take([other])).allowed, true)
  assert.equal((await counters.take([other])).allowed, false)
})
