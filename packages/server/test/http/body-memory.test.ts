/** Tests that arriving bodies together use a bounded amount of memory, and that no network can use all of it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import fastify, { type FastifyInstance } from 'fastify'
import { limitBodyMemory } from '../../src/http/bodies/body-memory.ts'
import { bodyParser } from '../../src/http/bodies/read-body.ts'
import { addClients, clientsOf } from '../../src/http/client.ts'
import { answerError } from '../../src/http/errors/answer.ts'
import { eventually } from '../support/eventually.ts'
import { converse } from '../support/raw-http.ts'

const KIB = 1024
const TOTAL = 256 * KIB
const LIMIT = 128 * KIB

suite('room for bodies of 256 KiB', () => {
  let app: FastifyInstance
  let url: string
  /** Requests that a limit takes long to check, as if another process counted them, and those that left meanwhile. */
  let checked = 0
  let left = 0
  before(async () => {
    app = fastify({ bodyLimit: LIMIT })
    addClients(app, clientsOf(['127.0.0.1']))
    app.decorateRequest('refusal', undefined)
    app.setErrorHandler(answerError)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', bodyParser({ parse: (body) => body }))
    app.addHook('onRequest', async ({ url: path }, { raw }) => {
      if (path !== '/slow-limits') return
      checked += 1
      await once(raw, 'close')
      left += 1
    })
    limitBodyMemory(app, { total: TOTAL })
    for (const path of ['/', '/slow-limits']) {
      app.post(path, async ({ body }) => ({ bytes: (body as Buffer).length }))
    }
    url = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    app.server.closeAllConnections()
    await app.close()
  })

  const post = (from: string, how: string, path = '/') => {
    const connection = converse(url)
    connection.socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n${how}\r\n\r\n`)
    return connection
  }
  const announcing = (from: string, bytes: number) => post(from, `Content-Length: ${bytes}`)
  const chunked = (from: string) => post(from, 'Transfer-Encoding: chunked')
  const statusOf = ({ text }: { text(): string }) => Number(text().split(' ')[1] ?? 0)
  const answered = async (connection: { text(): string }) => {
    await eventually('it is answered', () => statusOf(connection) > 0)
    return statusOf(connection)
  }
  const send = async (from: string, bytes: number) => {
    const connection = announcing(from, bytes)
    connection.socket.write(Buffer.alloc(bytes))
    const status = await answered(connection)
    connection.socket.destroy()
    return status
  }
  /** Fills everything that these addresses can use with bodies of 32 KiB; returns how many bodies that is. */
  const hold = async (of: (index: number) => string, count: number) => {
    const held = Array.from({ length: count }, (_, index) => announcing(of(index), 32 * KIB))
    for (const { socket } of held) socket.write(Buffer.alloc(16 * KIB))
    await eventually(
      'the others are refused',
      () => held.filter((one) => statusOf(one) === 503).length >= count - 5,
    )
    return {
      accepted: () => held.filter((one) => statusOf(one) !== 503),
      leave: () => {
        for (const { socket } of held) socket.destroy()
      },
    }
  }
  const everythingIsFree = () =>
    eventually('everything is free', async () => (await send('203.0.113.1', LIMIT - KIB)) === 200)

  for (const [what, of] of [
    ['an address', () => '192.0.2.1'],
    ['an IPv4 /24', (i: number) => `192.0.2.${i}`],
    ['an IPv6 /48', (i: number) => `2001:db8:1:${i}::1`],
  ] as const) {
    test(`answers 503 when ${what} sends slowly and fills its share, while others send as before`, async () => {
      const slow = await hold(of, 20)
      assert.equal(await send(of(3), 32 * KIB), 503)
      assert.match(slow.accepted().length.toString(), /^[345]$/)
      assert.equal(await send('198.51.100.1', 20 * KIB), 200)
      for (const connection of slow.accepted()) {
        connection.socket.write(Buffer.alloc(16 * KIB))
        assert.equal(await answered(connection), 200)
      }
      slow.leave()
      await everythingIsFree()
    })
  }

  test('answers 503 as soon as a body without a length uses too much', async () => {
    const slow = await hold(() => '192.0.2.1', 20)
    const connection = chunked('192.0.2.1')
    const chunk = Buffer.alloc(8 * KIB)
    for (let i = 0; i < 8; i++) {
      connection.socket.write(`${chunk.length.toString(16)}\r\n`)
      connection.socket.write(chunk)
      connection.socket.write('\r\n')
    }
    assert.equal(await answered(connection), 503)
    connection.socket.destroy()
    slow.leave()
    await everythingIsFree()
  })

  test('answers 503 to a body in pieces of a byte, by what the pieces use', async () => {
    const connection = chunked('192.0.2.1')
    for (let i = 0; i < 10; i++) connection.socket.write('1\r\nx\r\n'.repeat(100))
    assert.equal(await answered(connection), 503)
    connection.socket.destroy()
    await everythingIsFree()
  })

  test('frees what a client used when it leaves', async () => {
    for (let i = 0; i < 5; i++) {
      const slow = await hold(() => '192.0.2.1', 20)
      slow.leave()
      await everythingIsFree()
    }
  })

  test('a client that leaves before its body is examined uses nothing', async () => {
    const all = Array.from({ length: 4 }, (_, i) =>
      post(`10.${i}.0.1`, `Content-Length: ${32 * KIB}`, '/slow-limits'),
    )
    await eventually('they are being checked', () => checked === all.length)
    for (const { socket } of all) socket.destroy()
    await eventually('they have left', () => left === all.length)
    await everythingIsFree()
  })

  test('answers 413 to a body that is too long for the route, however full the memory is', async () => {
    const slow = await hold(() => '192.0.2.1', 20)
    assert.equal(await answered(announcing('192.0.2.1', 5 * 1024 * KIB)), 413)
    slow.leave()
    await everythingIsFree()
  })
})
