/** Tests that a client that leaves is noticed, whenever it leaves. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import fastify, { type FastifyInstance } from 'fastify'
import { clientGone } from '../../src/http/client.ts'
import { converse } from '../support/raw-http.ts'

suite('a client that leaves', () => {
  let app: FastifyInstance
  let url: string
  const lookedAfterwards = Promise.withResolvers<AbortSignal>()
  const lookedBefore = Promise.withResolvers<AbortSignal>()
  before(async () => {
    app = fastify()
    app.get('/', async (_request, reply) => {
      lookedBefore.resolve(clientGone(reply))
      await once(reply.raw, 'close')
      lookedAfterwards.resolve(clientGone(reply))
      return reply.hijack()
    })
    url = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(() => app.close())

  test('aborts the signals created before and after it left', async () => {
    const { socket } = converse(url)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const signal = await lookedBefore.promise
    assert.equal(signal.aborted, false)
    socket.destroy()
    assert.equal((await lookedAfterwards.promise).aborted, true)
    assert.equal(signal.aborted, true)
  })
})
