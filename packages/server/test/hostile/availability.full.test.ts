/**
 * Guarantee: whatever one network does, all other clients are answered, and the process's own memory stays under 370
 * MiB. Uses a real process with the default limits, behind a trusted proxy that reports where requests come from.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterEach, before, beforeEach, test } from 'node:test'
import { encodeBase64Url, encodeBinary, type Macaroon, mint } from '@ratafia/macaroon'
import { generateKeyPair } from '@ratafia/macaroon/bakery'
import pLimit from 'p-limit'
import type { Account } from '../../src/accounts/account.ts'
import type { Installation } from '../../src/installation.ts'
import { brandDeps } from '../support/brands.ts'
import { oneDatabase } from '../support/databases.ts'
import {
  AUTH,
  addAcmeModel,
  deviceKey,
  getRequestId,
  openSession,
  postDevices,
  registered,
  serialRequest,
  streamOf,
  withAcme,
} from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { addPublisher, logInWithPassword, refresh } from '../support/publishers.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  refusalOf,
  type TestService,
} from '../support/service.ts'
import { testUpstream } from '../support/upstream.ts'
import { discharging } from '../support/waiting-login.ts'
import { badDischarge } from './bad-discharge.ts'
import { crossedKeys } from './crossed-keys.ts'

/** By default the process handles 1,000 requests at a time. */
const CROWD = 1_100
/** The default number of devices from one address that can wait for approval; from a /24, twice as many. */
const WAITING = 500
const MOST_MIB = 370
const HOSTILE = '198.51.100.7'
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
const ENVIRONMENT = {
  RATAFIA_SECRET_KEY: SECRET_KEY,
  RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
  // The default rate limits.
  RATAFIA_RATE_LIMITS: '',
  RATAFIA_ACCESS_LOG: 'off',
  RATAFIA_LOG_LEVEL: 'error',
}
/** Bytes of a body that are sent with its headers. */
const BEGINNING = 32 * 1024
const HELD = 'answers everyone else while one address keeps open'
const APPROVED_MODEL = 'acme-approved'

/** A connection of an attacker. */
interface Hostile {
  socket: Socket
  received: Buffer[]
}

oneDatabase((_kind, open, fresh) => {
  const program = testProgram(fresh)
  const upstream = testUpstream()
  let running: RunningProgram
  let service: TestService
  let installation: Installation
  let person: Account
  let publisher: Account
  let approvedModel: Uint8Array
  let everybody: Readonly<Record<string, () => Promise<number>>>
  const hostile: Hostile[] = []

  before(async () => {
    installation = await program.open(ENVIRONMENT)
    await withAcme(brandDeps(await open()))
    const policy = { registration: 'approval' } as const
    approvedModel = await addAcmeModel(brandDeps(await open()), APPROVED_MODEL, { policy })
    person = await addPerson({ installation })
    publisher = await addPublisher({ installation })
  })

  // A process for each test, so that one attack's memory does not count for the next.
  beforeEach(async () => {
    running = await program.start({ ...ENVIRONMENT, RATAFIA_DEVICE_SERVICE_URLS: upstream.url })
    service = {
      baseUrl: running.baseUrl,
      installation,
      now: () => new Date(),
      advance: () => assert.fail('the clock is the real one'),
    }
    const slice = await dischargeFor(service, await getRoot(service), person)
    const token = await exchangeSlice(service, slice)
    const serial = await registered(service)
    const { VisitURL } = (await discharging(service.baseUrl)).Info.InteractionMethods['browser-window']
    const { discharge } = await logInWithPassword(service, publisher)
    everybody = {
      refresh: async () => (await refresh(service, discharge)).status,
      whoami: async () =>
        (await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })).status,
      exchange: async () => {
        await exchangeSlice(service, slice)
        return 200
      },
      'login page': async () => {
        const { status, body } = await fetch(VisitURL)
        await body?.cancel()
        return status
      },
      'device session': async () => (await openSession(service, { serial })).status,
    }
  })

  afterEach(async () => {
    for (const { socket } of hostile.splice(0)) socket.destroy()
    await answersEverybody()
    await running.end('SIGKILL')
  })

  /** Sends a few rounds of usual requests. The service must answer them all, and its memory must stay bounded. */
  async function answersEverybody(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      for (const [what, ask] of Object.entries(everybody)) assert.equal(await ask(), 200, what)
    }
    const most = peakMemory(running.child.pid)
    assert.ok(most < MOST_MIB, `the process took ${most} MiB`)
  }

  const begin = async (
    count: number,
    bytes: (index: number) => string | Buffer,
  ): Promise<readonly Hostile[]> => {
    const started = Array.from({ length: count }, async (_, index) => {
      const one: Hostile = { socket: newSocket(), received: [] }
      hostile.push(one)
      await beginOne(one, bytes(index))
      return one
    })
    return Promise.all(started)
  }
  const newSocket = (): Socket => {
    const { hostname, port } = new URL(service.baseUrl)
    return connect(Number(port), hostname)
  }
  /**
   * Connects again after a 408, because this process can stall between the connection and its request. Also after
   * ECONNRESET without an answer: the kernel resets a connection that a busy service does not accept in time.
   */
  const beginOne = (one: Hostile, bytes: string | Buffer): Promise<void> => {
    let reset = false
    one.socket
      .on('data', (chunk) => one.received.push(chunk))
      .on('error', (error: NodeJS.ErrnoException) => {
        reset = error.code === 'ECONNRESET' && one.received.length === 0
      })
      .once('close', () => {
        if (!(reset || statusOf(one) === 408) || !hostile.includes(one)) return
        Object.assign(one, { socket: newSocket(), received: [] })
        void beginOne(one, bytes)
      })
    return send(one, bytes)
  }
  /** Resolves when everything is sent, or the connection is cut. */
  const send = ({ socket }: Hostile, bytes: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      socket.once('close', resolve)
      // The kernel may accept only a part.
      socket.write(bytes, () => resolve())
    })
  const textOf = ({ received }: Hostile) => Buffer.concat(received).toString('latin1')
  const statusOf = (one: Hostile) => Number(textOf(one).split(' ')[1] ?? 0)
  const count = (all: readonly Hostile[], status: number) =>
    all.filter((one) => statusOf(one) === status).length
  /** Sends again whenever an answer arrives, until the usual requests are answered. */
  const insist = (all: readonly Hostile[], bytes: (index: number) => string) => {
    for (const [index, one] of all.entries()) {
      const again = () => one.socket.write(bytes(index))
      one.socket.on('data', again)
      if (statusOf(one) > 0) again()
    }
  }
  const head = (line: string, headers: Readonly<Record<string, string>>, address = HOSTILE) =>
    [
      `${line} HTTP/1.1`,
      'Host: x',
      `X-Forwarded-For: ${address}`,
      ...Object.entries(headers).map((h) => h.join(': ')),
    ]
      .map((one) => `${one}\r\n`)
      .join('')
      .concat('\r\n')

  test(`${HELD} ${CROWD} requests with unknown root keys`, async () => {
    const madeUp = (kind: number, ahead: number): Macaroon => {
      const id = Buffer.concat([Buffer.of(kind, 0, 0, 0, 0), randomBytes(16)])
      id.writeUInt32BE(1 + ahead, 1)
      return mint({ rootKey: randomBytes(32), id, location: 'localhost' })
    }
    const slices = Array.from({ length: 24 }, (_, at) =>
      encodeBase64Url(encodeBinary(madeUp(at % 2 === 0 ? 0x11 : 0x12, 1 + at))),
    ).join(',')
    const whoami = head('GET /api/v2/tokens/whoami', { Macaroons: slices })
    const exchange = head('POST /api/v2/tokens/exchange', { Macaroons: slices, 'Content-Length': '0' })
    const all = await begin(CROWD, (index) => (index % 2 === 0 ? whoami : exchange))
    await eventually('no more are accepted', () => all.some((one) => [401, 429, 503].includes(statusOf(one))))
    insist(all, (index) => (index % 2 === 0 ? whoami : exchange))
    await answersEverybody()
  })

  test(`${HELD} ${CROWD} forged discharges to refresh`, async () => {
    const [own] = await installation.keyring.dischargerKeyPairs()
    const requests = [own, generateKeyPair()].map(({ publicKey }) => {
      const body = badDischarge(publicKey)
      const headers = { 'X-Forwarded-Proto': 'https', 'Content-Length': `${body.length}` }
      return head('POST /api/v2/tokens/refresh', headers) + body
    })
    const asked = (index: number) => requests[index % 2] ?? assert.fail()
    const all = await begin(CROWD, asked)
    await eventually('they are refused', () => count(all, 401) > 0)
    insist(all, asked)
    await answersEverybody()
    assert.ok(all.every((one) => [0, 401, 429, 503].includes(statusOf(one))))
  })

  test(`${HELD} ${CROWD} half-sent registrations of 4 MiB`, async () => {
    const half = Buffer.alloc(2 * 1024 * 1024, 'x')
    const start = head(`POST ${AUTH}/devices`, { 'Content-Length': `${2 * half.length}` })
    const beginning = Buffer.concat([Buffer.from(start), half.subarray(0, BEGINNING)])
    const all = await begin(CROWD, () => beginning)
    // Eight of them use half of the available memory.
    await eventually('the others are refused', () => count(all, 503) >= CROWD - 8)
    // All keep sending. Refused ones are cut off five seconds later: if they had sent everything at once,
    // this process could be too busy until then to read their answers.
    await Promise.all(all.map((one) => send(one, half.subarray(BEGINNING))))
    await answersEverybody()
  })

  test(`${HELD} 250 connections that send requests behind a wait for a login`, async () => {
    const url = new URL(await waitUrl())
    const wait = head(`GET ${url.pathname}${url.search}`, {})
    const all = await begin(250, () => wait + head('HEAD /openapi.json', {}).repeat(600))
    await eventually('they are cut', () => all.every(({ socket }) => socket.destroyed))
    await answersEverybody()
  })

  test(`${HELD} ${CROWD} registrations for a service that hangs`, async () => {
    upstream.answerWith(() => {})
    const headers = { 'X-Snap-Device-Service-URL': upstream.url, 'Content-Length': '0' }
    const all = await begin(CROWD, () => head(`POST ${AUTH}/request-id`, headers))
    await eventually('a few are forwarded', () => upstream.seen.length > 0)
    await eventually('the others are asked to retry', () => count(all, 503) >= CROWD - 16)
    assert.ok(upstream.seen.length <= 16, `${upstream.seen.length} were forwarded`)
    assert.ok(
      all.filter((one) => statusOf(one) === 503).every((one) => /\r\nretry-after: 1\r\n/.test(textOf(one))),
    )
    await answersEverybody()
    // They do not take up the places of others, even of their neighbours at the same address.
    const neighbour = await call(service, 'GET', '/', { headers: { 'x-forwarded-for': HOSTILE } })
    assert.equal(neighbour.status, 200)
  })

  const waitUrl = async () =>
    (await discharging(service.baseUrl)).Info.InteractionMethods['browser-window'].WaitTokenURL

  test('answers others and lets them wait for logins while 2,000 clients of one /48 wait', async () => {
    const url = new URL(await waitUrl())
    const line = `GET ${url.pathname}${url.search}`
    const mine = await begin(1, () => head(line, {}, '192.0.2.1'))
    // 2,000 can wait, so 60 are refused. The test needs only 50 of them, because a busy machine can lose connections.
    const all = await begin(2_060, (index) => head(line, {}, `2001:db8:5:${index.toString(16)}::1`))
    await eventually('there are no more places', () => count(all, 503) >= 50)
    const others = await begin(20, (index) => head(line, {}, `203.0.${index}.1`))
    await eventually('others get the places of the crowd', () => count(all, 503) >= 70)
    await answersEverybody()
    for (const one of [...mine, ...others]) assert.deepEqual([textOf(one), one.socket.destroyed], ['', false])
  })

  // Below the rate limit of a /24, which would hide the limit tested here.
  const FEW = 1_200
  const MANY = 3_000
  test(`registers other devices while ${2 * WAITING} of ${MANY} from one /24 wait and no more can`, async () => {
    const keys = await crossedKeys(MANY)
    const limit = pLimit(50)
    let asked = 0
    const registration = async (key: (typeof keys)[number], address: string) => {
      // From many addresses, because one address cannot request that many in a minute.
      const elsewhere = `10.${asked >> 8}.${asked++ & 255}.1`
      const requestId = await getRequestId(service, { 'x-forwarded-for': elsewhere })
      const stream = streamOf(serialRequest({ requestId, key, model: APPROVED_MODEL }), approvedModel)
      return postDevices(service, stream, { headers: { 'x-forwarded-for': address } })
    }
    const registerAll = (some: typeof keys) =>
      Promise.all(some.map((key, index) => limit(() => registration(key, `198.51.101.${index % 4}`))))
    const answers = await registerAll(keys.slice(0, FEW))
    assert.equal(answers.filter(({ status }) => status === 202).length, 2 * WAITING)
    for (const answer of answers) {
      if (answer.status !== 202) assert.match(refusalOf(answer).message, /from your network are waiting/)
    }
    const rest = registerAll(keys.slice(FEW))
    assert.equal((await registration(deviceKey('device2'), '203.0.113.1')).status, 202)
    await answersEverybody()
    assert.deepEqual([...new Set((await rest).map(({ status }) => status))], [503])
    await answersEverybody()
  })
})

/**
 * Returns the peak of a process's own memory, in MiB. Pages of files do not count: they are mostly the executable, which
 * all processes share and whose size depends on the release of Node.
 */
function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1])
  return (kib('VmHWM') - kib('RssFile')) / 1024
}
