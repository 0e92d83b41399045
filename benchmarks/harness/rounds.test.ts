import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alternate, type Contender } from './rounds.ts'
import { httpText } from './wrk.ts'

const PACE = { rounds: 3, seconds: 2, warmUpSeconds: 7 }

/** A contender that records in `log` how long it ran. */
function contender(name: string, log: string[], requests = 10): Contender {
  const load = {
    async run(seconds: number, begin: () => Promise<void>) {
      await begin()
      log.push(`${name} ${seconds}`)
      return { requests: requests * log.length, seconds, p50: 1, p99: 2 }
    },
  }
  return { name, load, pids: () => [] }
}

test('each contender warms up once, and then the rounds alternate', async () => {
  const log: string[] = []
  await alternate([contender('a', log), contender('b', log)], PACE)
  assert.deepEqual(log, ['a 7', 'b 7', 'a 2', 'b 2', 'a 2', 'b 2', 'a 2', 'b 2'])
})

test('the figures are medians of the rounds without the warm-up', async () => {
  const [measured] = await alternate([contender('a', [])], PACE)
  assert.deepEqual(
    measured?.rounds.map(({ requests }) => requests),
    [20, 30, 40],
  )
  assert.equal(measured?.median.requests, 30)
  assert.equal(measured?.median.rate, 15)
})

test('counts statements per request, without those that an idle service sends', async () => {
  const log: string[] = []
  // This contender sends two statements a second when idle, and three for each request.
  const began = performance.now()
  let requests = 0
  const { load, ...rest } = contender('a', log)
  const own: Contender = {
    ...rest,
    load: {
      async run(seconds, begin) {
        const before = performance.now()
        await begin()
        const sent = await load.run(seconds, async () => {})
        requests += sent.requests
        return { ...sent, seconds: (performance.now() - before) / 1_000 }
      },
    },
    statements: async () => requests * 3 + ((performance.now() - began) / 1_000) * 2,
  }
  const [measured] = await alternate([own], { rounds: 1, seconds: 1, warmUpSeconds: 1 })
  assert.equal(Math.round(measured?.median.statements ?? 0), 3)
})

test('throws an error for a round without requests', async () => {
  await assert.rejects(alternate([contender('a', [], 0)], PACE), /a: nothing was sent/)
})

test('a prepared request has the length of its body in bytes', () => {
  const text = httpText({ method: 'POST', path: '/x', headers: { A: 'b' }, body: '{"é":1}' })
  assert.equal(text, 'POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nA: b\r\nContent-Length: 8\r\n\r\n{"é":1}')
})
