/** Tests where a body can be posted, and the result. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { onLoopback } from '../../../test/support/loopback.ts'
import { textPoster } from './post.ts'

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const seen: string[] = []
const loopback = onLoopback(
  createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url} ${Buffer.concat(await request.toArray())}`)
    if (request.url === '/never') return
    if (request.url === '/cut') return request.socket.destroy()
    if (request.url === '/101') return request.socket.write(SWITCHED)
    response.writeHead(Number(request.url?.slice(1)), { location: '/200' })
    response.flushHeaders()
    if (request.url !== '/204') response.write('x'.repeat(1_000_000))
  }),
)

const sent = { headers: { 'content-type': 'application/json' }, body: '{"é":1}' }

test('returns the status; does not follow a redirect or read a body', async () => {
  const post = textPoster()
  for (const status of [200, 204, 302, 404, 500]) {
    const url = `${loopback.url}/${status}`
    assert.deepEqual(await post(url, sent, []), { status })
  }
  assert.deepEqual(seen.splice(0), [...[200, 204, 302, 404, 500].map((status) => `POST /${status} {"é":1}`)])
})

test('an answer that would switch to another protocol is a status like any other', async () => {
  const post = textPoster({ timeout: 500 })
  const answers = [
    post(`${loopback.url}/101`, sent, []),
    setTimeout(2_000, 'it waits forever', { ref: false }),
  ]
  assert.deepEqual(await Promise.race(answers), { status: 101 })
  seen.splice(0)
})

test('reports a missing answer as a failure in our own words', async () => {
  const never = `${loopback.url}/never`
  assert.deepEqual(await textPoster({ timeout: 200 })(never, sent, []), {
    failure: 'it did not answer in 0.2 s',
  })
  const cut = `${loopback.url}/cut`
  assert.deepEqual(await textPoster()(cut, sent, []), { failure: 'the connection broke' })
  const closed = 'http://127.0.0.1:1/'
  assert.deepEqual(await textPoster()(closed, sent, []), { failure: 'nothing listens there' })
})

test('guarantee: connects to no address that is not public, unless it is allowed', async () => {
  const connected: unknown[] = []
  const connect = (options: object) => {
    connected.push(options)
    throw new Error('connected')
  }
  for (const [url, address] of [
    ['https://hooks.example.com/', '10.1.2.3'],
    ['https://hooks.example.com/', '127.0.0.1'],
    ['https://hooks.example.com/', '169.254.169.254'],
    ['https://10.1.2.3/', ''],
    ['http://hooks.example.com/', '8.8.8.8'],
  ] as const) {
    const resolve = async () => [{ address, family: 4 }]
    const options = url.includes('hooks') && url.startsWith('https') ? { resolve } : { resolve, connect }
    assert.deepEqual(await textPoster(options)(url, sent, []), {
      failure: 'requests to its address are not allowed',
    })
  }
  assert.deepEqual(connected, [])
  const allowed = 'https://10.1.2.3/'
  const answer = await textPoster({ connect: connect as never })(allowed, sent, ['10.0.0.0/8'])
  assert.deepEqual([connected.length, answer], [1, { failure: 'connected' }])
})
