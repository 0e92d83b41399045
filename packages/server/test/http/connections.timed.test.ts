/** Tests that slow, idle and surplus connections are closed, and do not delay other clients. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, afterEach, before, suite, test } from 'node:test'
import type { ConnectionLimits } from '../../src/http/limits/connections.ts'
import { answerParserError } from '../../src/http/parser-refusals.ts'
import { type ListeningServer, listen } from '../../src/http/server.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'

const clients = new Set<Client>()

/** A connection that does only what the test tells it, from its own address if one is given. */
class Client {
  readonly socket: Socket
  text = ''
  readonly ended: Promise<void>

  constructor(origin: string, localAddress = '127.0.0.1') {
    const { hostname, port } = new URL(origin)
    this.socket = connect({ host: hostname, port: Number(port), localAddress })
    this.socket.setEncoding('latin1').on('error', () => {})
    this.socket.on('data', (chunk: string) => {
      this.text += chunk
    })
    this.ended = new Promise((resolve) => {
      // Whichever comes first: a server that only closes its side waits for us, and cuts us later.
      this.socket.once('end', resolve)
      this.socket.once('close', resolve)
    })
    clients.add(this)
  }

  get open(): boolean {
    return !this.socket.destroyed && !this.socket.readableEnded
  }

  get status(): number | undefined {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(this.text) ?? []
    return status === undefined ? undefined : Number(status)
  }

  async connected(): Promise<this> {
    if (this.socket.connecting) await once(this.socket, 'connect')
    return this
  }

  /** Sends one byte after another, until it is cut. */
  trickle(text: string): this {
    let sent = 0
    const timer = setInterval(() => {
      if (this.open && sent < text.length) this.socket.write(text[sent++] ?? '')
      else clearInterval(timer)
    }, 20)
    return this
  }

  send(text: string): this {
    this.socket.write(text)
    return this
  }

  /** Sends a request, and waits for a small answer. */
  async ask(text: string): Promise<this> {
    this.text = ''
    this.send(text)
    while (!/\r\n\r\n/.test(this.text)) {
      assert.ok(this.open, 'it was cut')
      await Promise.race([once(this.socket, 'data'), this.ended])
    }
    return this
  }
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

const leave = () => {
  for (const { socket } of clients) socket.destroy()
  clients.clear()
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const POST_HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n'
/** More than the buffers of both sides hold. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)
/** An endless text, for a header or a body. */
const LONG = 'x'.repeat(10_000)

suite('requests sent ahead', { timeout: 120_000 }, () => {
  let server: ListeningServer
  let finish: (() => void)[] = []
  let parsed = 0
  before(async () => {
    server = await listen('127.0.0.1', 0)
    server.server.on('request', () => {
      parsed += 1
    })
    server.serve((request, response) => {
      if (request.url === '/wait') server.hold(response)
      finish.push(() => response.end(request.url))
    })
    server.open()
  })
  after(async () => {
    leave()
    await server.close()
  })
  const client = () => {
    finish = []
    parsed = 0
    return new Client(server.origin)
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  const arrived = (count: number) => eventually(`${count} arrived`, () => finish.length === count)

  test('allows 16 unanswered requests; the next one gets a 503, which closes the connection', async () => {
    const one = client().send(get('/a').repeat(16))
    await arrived(16)
    one.send(get('/a').repeat(3))
    // When this one is answered, the server has read the earlier ones.
    await new Client(server.origin).send('POST /b HTTP/1.1\r\n\r\n').ended
    for (const end of finish.splice(0)) end()
    await one.ended
    assert.equal(one.text.match(/HTTP\/1\.1 200 OK/g)?.length, 16)
    assert.equal(one.text.match(/HTTP\/1\.1 503 /g)?.length, 1)
    assert.match(one.text, /connection: close[\s\S]*Wait for answers, then send more/)
    assert.equal(finish.length, 0)
  })

  test('cuts a connection with very many requests, most of which are not even parsed', async () => {
    const one = client().send(get('/a').repeat(2_000))
    await one.ended
    assert.deepEqual([one.text, finish.length, parsed], ['', 16, 33])
  })

  test('cuts a connection that sends anything behind a request that waits for a person', async () => {
    const one = client().send(get('/wait'))
    await arrived(1)
    one.send(get('/a'))
    await one.ended
    const both = client().send(get('/wait') + get('/a').repeat(2_000))
    await both.ended
    assert.deepEqual([one.text, both.text, finish.length, parsed], ['', '', 1, 2])
  })

  test('a connection works as before after the answer to a request that waited', async () => {
    const one = client().send(get('/wait'))
    await arrived(1)
    finish[0]?.()
    await eventually('the request is answered', () => one.text.endsWith('/wait'))
    one.send(get('/a'))
    await arrived(2)
    finish[1]?.()
    await eventually('the request is answered', () => one.text.endsWith('/a'))
  })
})

suite('cuts slow and idle connections', { concurrency: true, timeout: 120_000 }, () => {
  const short: Partial<ConnectionLimits> = { headers: 900, request: 900, idle: 400, answer: 400, check: 50 }
  let server: ListeningServer
  /** Waits the default time for whole requests. */
  let forHeaders: ListeningServer
  const answer: RequestListener = (request, response) => {
    if (request.url === '/large') response.end(LARGE)
    else request.resume().once('end', () => response.end('done'))
  }
  before(async () => {
    server = await listen('127.0.0.1', 0, undefined, short)
    forHeaders = await listen('127.0.0.1', 0, undefined, { headers: 300, check: 50 })
    for (const one of [server, forHeaders]) {
      one.server.on('clientError', answerParserError)
      one.serve(answer)
      one.open()
    }
  })
  after(async () => {
    leave()
    await Promise.all([server.close(), forHeaders.close()])
  })
  const client = () => new Client(server.origin)
  const slowly = () => new Client(forHeaders.origin)

  const refusedLate: Readonly<Record<string, () => Client | Promise<Client>>> = {
    'a silent connection': slowly,
    'headers that trickle in': () => slowly().trickle(`GET / HTTP/1.1\r\nA: ${LONG}`),
    'headers that stop': () => slowly().send('GET / HTTP/1.1\r\nHost: x\r\n'),
    'headers that trickle in after a valid request': async () =>
      (await slowly().ask(GET)).send('GET / HTTP/1.1\r\n').trickle(`A: ${LONG}`),
    'a body that trickles in': () => client().send(POST_HEAD).trickle(LONG),
    'a body that stops': () => client().send(`${POST_HEAD}x`),
    'a body that trickles in as chunks': () =>
      client()
        .send('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
        .trickle('1\r\nx\r\n'.repeat(1000)),
  }
  for (const [name, begin] of Object.entries(refusedLate)) {
    test(`answers 408 to ${name}`, async () => {
      const slow = await begin()
      await slow.ended
      assert.match(slow.text, /HTTP\/1\.1 408 [\s\S]*The request did not arrive in time\./)
    })
  }

  test('cuts a connection without another request', async () => {
    const idle = await client().ask(GET)
    assert.equal(idle.status, 200)
    await idle.ended
    assert.doesNotMatch(idle.text, /408/)
  })

  test('cuts a client that does not read its answer', async () => {
    const slow = client()
    slow.socket.pause()
    slow.send('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    // A paused client does not notice the end either, so the server is asked.
    while (server.server.listening && ![...slowReaders()].length) await tick()
    while ([...slowReaders()].length) await tick()
    slow.socket.resume()
    await slow.ended
    assert.ok(slow.text.length < LARGE.length)
  })

  const slowReaders = function* () {
    for (const response of server.answers) if (response.req.url === '/large') yield response
  }
})

suite('an answer before the end of the request', { timeout: 120_000 }, () => {
  let server: ListeningServer
  before(async () => {
    server = await listen('127.0.0.1', 0, undefined, { afterAnswer: 100 })
    server.server.on('clientError', answerParserError)
    server.serve((_request, response) => response.end('done'))
    server.open()
  })
  after(() => server.close())

  test('cuts a body that continues', async () => {
    const slow = new Client(server.origin)
    slow.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n')
    const timer = setInterval(() => slow.socket.write('x'), 20)
    await slow.ended
    clearInterval(timer)
    assert.equal(slow.status, 200)
  })

  test('cuts a client that stays after a refusal', { timeout: 120_000 }, async () => {
    const { hostname, port } = new URL(server.origin)
    const accepted = once(server.server, 'connection')
    // The client keeps its side open.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const [other]: Socket[] = await accepted
    socket.resume().write('garbage\r\n\r\n')
    await once(socket, 'end')
    assert.equal(other?.destroyed, false)
    await once(other, 'close')
    socket.destroy()
  })
})

suite('a connection with data that is not HTTP', { timeout: 120_000 }, () => {
  let server: ListeningServer
  before(async () => {
    server = await listen('127.0.0.1', 0)
    server.server.on('clientError', (error, socket) =>
      answerParserError(error, socket as Socket, server.unanswered(socket as Socket)),
    )
    server.serve((request, response) => {
      if (request.url !== '/held') response.end('done')
    })
    server.open()
  })
  afterEach(leave)
  after(() => server.close())
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

  test('a client that keeps sending after a refusal can read it before the connection is cut', async () => {
    const accepted = once(server.server, 'connection')
    const one = await new Client(server.origin).connected()
    const [other]: Socket[] = await accepted
    await one.ask('garbage\r\n\r\n')
    assert.equal(one.status, 400)
    // The parser repeats the error for each arriving piece, which must not reset what the client still has to read.
    server.server.emit('clientError', new Error('again'), other)
    assert.equal(other?.destroyed, false)
    await one.ended
    assert.equal(one.text.match(/HTTP\/1\.1 /g)?.length, 1)
  })

  for (const rest of ['garbage\r\n\r\n', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n']) {
    test(`keeps nothing for a client that disconnects after requests and ${rest.split(' ')[0]?.trim()}`, async () => {
      const one = await new Client(server.origin).connected()
      one.send(get('/held') + get('/').repeat(2) + rest)
      while (server.answers.length < 3) await tick()
      assert.equal(one.text, '')
      one.socket.destroy()
      while (server.answers.length > 0 || server.connections > 0) await tick()
    })
  }
})

suite('requests in flight', { timeout: 120_000 }, () => {
  let server: ListeningServer
  before(async () => {
    server = await listen('127.0.0.1', 0, { limit: 3 })
    server.serve((request, response) => {
      if (request.url === '/large') response.end(LARGE)
      else if (request.url !== '/held') response.end('done')
    })
    server.open()
  })
  afterEach(leave)
  after(() => server.close())
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

  test('does not count an answer that the client does not read', async () => {
    for (let i = 0; i < 5; i++) {
      const slow = await new Client(server.origin).connected()
      slow.socket.pause()
      slow.send(get('/large'))
    }
    while (server.answers.length < 5) await tick()
    assert.equal((await new Client(server.origin).ask(get('/'))).status, 200)
  })

  test('does not count an answer that waits for another one on its connection', async () => {
    const one = await new Client(server.origin).connected()
    one.send(get('/held') + get('/').repeat(5))
    while (server.answers.length < 6) await tick()
    assert.equal((await new Client(server.origin).ask(get('/'))).status, 200)
  })
})

suite('limits the number of connections', { timeout: 120_000 }, () => {
  const MOST = 20
  let server: ListeningServer
  let finish = Promise.withResolvers<void>()
  before(async () => {
    server = await listen('127.0.0.1', 0, undefined, { connections: MOST })
    server.serve((request, response) => {
      if (request.url === '/held') void finish.promise.then(() => response.end('held'))
      else request.resume().once('end', () => response.end('done'))
    })
    server.open()
  })
  afterEach(async () => {
    leave()
    while (server.connections > 0) await tick()
  })
  after(() => server.close())

  const begun = async (count: number) => {
    while (server.answers.length < count) await tick()
  }

  const fill = async (count: number, begin: (client: Client) => unknown, address?: string) => {
    const made: Client[] = []
    for (let i = 0; i < count; i++) {
      const one = await new Client(server.origin, address).connected()
      await begin(one)
      made.push(one)
    }
    while (server.connections < Math.min(MOST, clients.size)) await tick()
    return made
  }

  test('serves a new connection, and cuts the one that was quiet for longest', async () => {
    const [first, second, ...others] = await fill(MOST, (client) => client.ask(GET))
    await first?.ask(GET)
    const [late] = await fill(1, (client) => client.ask(GET))
    await second?.ended
    assert.ok(late?.open && first?.open && others.every(({ open }) => open))
    assert.equal(server.connections, MOST)
  })

  test('an address with many connections loses one before an address with few', async () => {
    const [few] = await fill(1, (client) => client.ask(GET), '127.0.0.2')
    await fill(MOST - 1, () => {})
    // Ten times as many as there is room for.
    await fill(MOST * 10, () => {})
    assert.ok(few?.open)
    assert.equal((await few?.ask(GET))?.status, 200)
  })

  test('cuts idle connections before those whose request is arriving', async () => {
    const coming = await fill(MOST - 3, (client) => client.send(POST_HEAD))
    await begun(MOST - 3)
    const idle = await fill(3, () => {})
    await fill(3, (client) => client.ask(GET))
    await Promise.all(idle.map(({ ended }) => ended))
    assert.ok(coming.every(({ open }) => open))
  })

  test('cuts connections whose request is arriving before one whose request is complete', async () => {
    const [coming] = await fill(MOST, (client) => client.send(POST_HEAD))
    await begun(MOST)
    const [late] = await fill(1, (client) => client.ask(GET))
    await coming?.ended
    assert.equal(late?.status, 200)
  })

  test('never cuts a connection whose request is being handled; cuts the new one instead', async () => {
    finish = Promise.withResolvers()
    const working = await fill(MOST, (client) => client.send('GET /held HTTP/1.1\r\nHost: x\r\n\r\n'))
    await begun(MOST)
    await new Client(server.origin).ended
    assert.ok(working.every(({ open }) => open))
    finish.resolve()
    for (const client of working) {
      while (client.status === undefined) await once(client.socket, 'data')
      assert.equal(client.status, 200)
    }
  })
})

suite('hundreds of bad connections do not keep a good client waiting', { timeout: 120_000 }, () => {
  const program = testProgram()
  let service: RunningProgram
  const nonce = async () => {
    const response = await fetch(`${service.baseUrl}/api/v1/snaps/auth/nonces`, {
      method: 'POST',
      headers: { connection: 'close' },
    })
    return [response.status, typeof ((await response.json()) as { nonce?: unknown }).nonce]
  }
  const many = (count: number, begin: (client: Client) => unknown) =>
    Promise.all(
      Array.from({ length: count }, async () => begin(await new Client(service.baseUrl).connected())),
    )
  const HEAD = 'POST /api/v1/snaps/auth/devices HTTP/1.1\r\nHost: x\r\n'

  before(async () => {
    service = await program.start({
      RATAFIA_WORKERS: '1',
      RATAFIA_MAX_CONNECTIONS: '300',
      RATAFIA_MAX_IN_FLIGHT: '10',
    })
  })
  afterEach(leave)

  const floods: Readonly<Record<string, (client: Client) => unknown>> = {
    'that are silent': () => {},
    // Some are cut for the next connection before they are answered.
    'that are kept after a request': (client) => client.ask(GET).catch(() => {}),
    'whose headers do not end': (client) => client.send('GET / HTTP/1.1\r\nHost: x\r\nA: '),
    'whose bodies do not end': (client) => client.send(`${HEAD}Content-Length: 4000000\r\n\r\nx`),
    'whose chunks do not end': (client) => client.send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`),
    'that do not read their answers': (client) => {
      client.socket.pause()
      client.send('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10))
    },
  }
  for (const [name, begin] of Object.entries(floods)) {
    test(`400 connections ${name}`, async () => {
      await many(400, begin)
      for (let i = 0; i < 20; i++) assert.deepEqual(await nonce(), [200, 'string'])
    })
  }

  test('the service ends cleanly', async () => {
    const { code, stderr } = await service.end('SIGTERM')
    assert.equal(code, 0)
    assert.doesNotMatch(stderr, /"level":[56]0/)
  })
})
