/**
 * Tests back-pressure: beyond a number of requests in flight the answer is 503 at once, and connections stay usable.
 */
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, suite, test } from 'node:test'
import { listen } from '../../src/http/server.ts'
import { send } from '../support/crew.ts'
import { oneDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { converse } from '../support/raw-http.ts'
import { call, testService } from '../support/service.ts'
import { discharging } from '../support/waiting-login.ts'

const LIMIT = 2
const REFUSED =
  /^HTTP\/1\.1 503 Service Unavailable\r\ncontent-type: application\/json\r\n[\s\S]*\r\nretry-after: 1\r\n[\s\S]*"code":"service-unavailable"/

suite('a server with room for two requests', async () => {
  let gate = Promise.withResolvers<void>()
  const refused: number[] = []
  const server = await listen('127.0.0.1', 0, {
    limit: LIMIT,
    basePath: '/store',
    onRefused: (count) => refused.push(count),
  })
  const work: RequestListener = (request, response) => {
    if (request.url?.includes('/health/ready')) return response.end('done')
    if (request.method === 'GET') return void gate.promise.then(() => response.end('done'))
    // A route that accepts a body reads all of it.
    return request.resume().once('end', () => void gate.promise.then(() => response.end('done')))
  }
  server.serve(work)
  server.open()
  after(() => server.close())
  const url = server.origin

  /** Sends two requests that are handled until the gate opens. */
  const fill = async () => {
    gate = Promise.withResolvers()
    const filling = [send(`${url}/a`), send(`${url}/b`, { method: 'POST', body: 'b' })]
    await eventually('both are being handled', () => server.inFlight.size === LIMIT)
    return async () => {
      gate.resolve()
      for (const { status } of await Promise.all(filling)) assert.equal(status, 200)
    }
  }

  test('refuses one more at once with a 503, before its body, and keeps its connection', async () => {
    const release = await fill()
    const { socket, text } = converse(url)
    socket.write('POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n')
    await eventually('it is refused', () => text().endsWith('}'))
    assert.match(text(), REFUSED)
    assert.match(text(), /\r\nConnection: keep-alive\r\n/)
    await release()
    socket.write('helloGET /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await eventually('the next is answered', () => text().endsWith('done'))
    assert.equal(text().match(/HTTP\/1\.1 /g)?.length, 2)
    await eventually('the operator is informed', () => refused[0] === 1)
  })

  test('refuses a client that asks before it sends the body, without asking for the body', async () => {
    const head = 'POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n'
    const release = await fill()
    const { socket, text } = converse(url)
    socket.write(head)
    await eventually('it is refused', () => text().endsWith('}'))
    assert.match(text(), REFUSED)
    assert.match(text(), /\r\nconnection: close\r\n/i)
    await release()
    const other = converse(url)
    other.socket.write(head)
    await eventually('it can send', () => other.text() === 'HTTP/1.1 100 Continue\r\n\r\n')
    other.socket.write('hello')
    await eventually('it is answered', () => other.text().endsWith('done'))
    other.socket.destroy()
  })

  test('answers a refused HEAD with a 503 and no body', async () => {
    const release = await fill()
    const { status, body } = await send(`${url}/c`, { method: 'HEAD' })
    assert.deepEqual([status, body], [503, ''])
    await release()
  })

  test('a slow sender does not take up a place', async () => {
    gate = Promise.withResolvers()
    gate.resolve()
    const slow = Array.from({ length: 10 }, () => converse(url))
    for (const { socket } of slow) {
      socket.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhel')
    }
    assert.equal((await send(`${url}/a`)).status, 200)
    for (const { socket } of slow) socket.write('lo')
    for (const { text } of slow) await eventually('it is answered', () => text().endsWith('done'))
  })

  test('a client that leaves frees its place', async () => {
    gate = Promise.withResolvers()
    const gone = [converse(url), converse(url)]
    for (const { socket } of gone) socket.write('GET /gone HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually('both are being handled', () => server.inFlight.size === LIMIT)
    for (const { socket } of gone) socket.destroy()
    await eventually('there is room', () => server.inFlight.size === 0)
    gate.resolve()
    assert.equal((await send(`${url}/a`)).status, 200)
  })

  test('answers health checks when the service is full', async () => {
    const release = await fill()
    for (const path of ['/health/ready', '/store/health/ready?x=y']) {
      assert.equal((await send(`${url}${path}`)).status, 200)
    }
    // A path that only resembles a health check counts.
    assert.equal((await send(`${url}/v2/assertions/x/health/ready`)).status, 503)
    await release()
  })

  test('a GET counts from its start, even if it announces a body', async () => {
    gate = Promise.withResolvers()
    const bodies = [converse(url), converse(url)]
    for (const { socket } of bodies) {
      socket.write('GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\n')
    }
    await eventually('both are being handled', () => server.inFlight.size === LIMIT)
    assert.equal((await send(`${url}/c`)).status, 503)
    gate.resolve()
    for (const { text } of bodies) await eventually('it is answered', () => text().endsWith('done'))
    for (const { socket } of bodies) socket.destroy()
  })
})

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_MAX_IN_FLIGHT: '1' })

  test('clients that wait for a person do not take up a place', async () => {
    const { Info } = await discharging(service.baseUrl)
    const url = Info.InteractionMethods['browser-window'].WaitTokenURL
    const gone = new AbortController()
    const waiting = Array.from({ length: 5 }, () =>
      fetch(url, { signal: gone.signal }).catch(() => undefined),
    )
    for (let request = 0; request < 5; request++) {
      assert.equal((await call(service, 'POST', '/api/v2/tokens')).status, 200)
    }
    gone.abort()
    assert.deepEqual(await Promise.all(waiting), Array(5).fill(undefined))
  })
})
