/**
 * What thousands of bad connections cost: `node benchmarks/connections.ts [CONNECTIONS]` (10,000 by default; `ulimit -n`
 * must be higher). Starts a service with one worker on SQLite, as an operator does, and opens that many connections of
 * each kind. Meanwhile it prints how long a good client waits for a nonce and a root macaroon on new connections, how
 * many bad connections are still open, and the service's memory. Asserts only that every good request is answered: on a
 * shared machine only orders of magnitude are meaningful.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const CONNECTIONS = Number(process.argv[2] ?? 10_000)
const GOOD_REQUESTS = 500
const PROGRAM = fileURLToPath(new URL('../packages/server/bin/ratafia.js', import.meta.url))
const GOOD = ['/api/v1/snaps/auth/nonces', '/api/v2/tokens'] as const

/** What is sent at first, and then byte by byte. */
interface Kind {
  readonly name: string
  readonly begin: string
  readonly trickle: string
  /** Does not read the answers. */
  readonly deaf?: boolean
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const DEVICES = 'POST /api/v1/snaps/auth/devices HTTP/1.1\r\nHost: x\r\n'

const KINDS: readonly Kind[] = [
  { name: 'say nothing', begin: '', trickle: '' },
  { name: 'idle after a request', begin: GET, trickle: '' },
  { name: 'headers trickle in', begin: 'GET / HTTP/1.1\r\nHost: x\r\nA: ', trickle: 'x' },
  { name: 'bodies trickle in', begin: `${DEVICES}Content-Length: 4000000\r\n\r\n`, trickle: 'x' },
  {
    name: 'answers are not taken',
    begin: 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3),
    trickle: '',
    deaf: true,
  },
]

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-connections-'))
  const { child, url } = await start(directory)
  try {
    report('none', 0, await goodClient(url), child)
    for (const kind of KINDS) {
      const bad = await open(kind, new URL(url))
      report(kind.name, bad.count(), await goodClient(url), child)
      // As many again: now each takes another's place. A client that does not read does not notice that it was cut.
      const more = kind.deaf ? undefined : await open(kind, new URL(url))
      if (more) report('… and as many more', bad.count() + more.count(), await goodClient(url), child)
      bad.close()
      more?.close()
      await sleep(1_000)
    }
    report('none, after all of them', 0, await goodClient(url), child)
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    await rm(directory, { recursive: true })
  }
}

async function start(directory: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      RATAFIA_DATA_DIR: directory,
      RATAFIA_PORT: '0',
      RATAFIA_WORKERS: '1',
      RATAFIA_LOG_LEVEL: 'error',
      // The good client represents many.
      RATAFIA_RATE_LIMITS: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^ratafia listening on (http:\/\/\S+)/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    return { child, url }
  }
  throw new Error('the service ended before it listened')
}

interface Bad {
  /** How many are still open. */
  count(): number
  close(): void
}

/** From a few addresses of this machine, so that there are enough ports. */
async function open(kind: Kind, { hostname, port }: URL): Promise<Bad> {
  const sockets: Socket[] = []
  for (let made = 0; made < CONNECTIONS; made++) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.1.${1 + (made % 4)}` })
    socket.on('error', () => {}).on('end', () => socket.destroy())
    if (kind.deaf) socket.pause()
    else socket.resume()
    sockets.push(socket)
    await Promise.race([once(socket, 'connect').catch(() => {}), once(socket, 'close')])
    if (!socket.destroyed) socket.write(kind.begin)
  }
  let next = 0
  // A byte from each every 10 seconds.
  const timer = setInterval(() => {
    for (let i = 0; kind.trickle !== '' && i < CONNECTIONS / 1000; i++) {
      const socket = sockets[next++ % sockets.length]
      if (socket && !socket.destroyed) socket.write(kind.trickle)
    }
  }, 10)
  return {
    count: () => sockets.filter(({ destroyed }) => !destroyed).length,
    close: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Milliseconds of each request, on a new connection. */
async function goodClient(url: string): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: false })
  const times: number[] = []
  for (let i = 0; i < GOOD_REQUESTS; i++) {
    const before = performance.now()
    const status = await post(`${url}${GOOD[i % GOOD.length]}`, agent)
    if (status !== 200) throw new Error(`a good request was answered ${status}`)
    times.push(performance.now() - before)
  }
  return times.sort((a, b) => a - b)
}

const post = (url: string, agent: Agent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('error', reject).end()
  })

/** The process's memory, in MB. */
function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

function report(name: string, stillOpen: number, times: readonly number[], child: ChildProcess): void {
  const at = (share: number) => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)} ms`
  const [p50, p99, worst] = [0.5, 0.99, 1].map(at)
  process.stdout.write(
    `${name.padEnd(26)} ${String(stillOpen).padStart(6)} open   p50 ${p50}  p99 ${p99}  worst ${worst}   ${memoryOf(child)} MB\n`,
  )
}

await main()
