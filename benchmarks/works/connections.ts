/** Measures how thousands of bad connections slow a good client, and their memory. Uses SQLite and one worker. */

import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { makeScene } from '../../faults/load/scene.ts'
import { sleep } from '../../faults/world/processes.ts'
import { childrenOf, memoryOf } from '../harness/cpu.ts'
import { refusalsOf } from '../harness/refusals.ts'
import { percentile } from '../harness/statistics.ts'
import { alone, type Figure, ratio } from '../report/figure.ts'
import { newInstallation } from '../services/installation.ts'
import { type Service, startRatafia } from '../services/ratafia.ts'
import type { Work } from './work.ts'

const GOOD = ['/api/v1/snaps/auth/nonces', '/api/v2/tokens'] as const
const REQUESTS = 500

export const connections: Work = {
  name: 'connections',
  says: 'how thousands of bad connections slow a well-behaved client',
  async measure(run) {
    const count = run.quick ? 500 : 10_000
    const scene = await makeScene({ people: 2, models: 2, keys: 2 })
    const service = await startRatafia(await newInstallation('sqlite', scene, run.directory))
    run.after(service.stop)
    await waitsOf(service)
    const none = await waitsOf(service)
    const figures: Figure[] = [memory('without bad connections', service)]
    for (const kind of BAD_KINDS) {
      const bad = await openBad(kind, service.port, count)
      // A client that does not read does not notice that its connection was cut.
      const more = kind.deaf ? undefined : await openBad(kind, service.port, count)
      run.say(`${bad.open() + (more?.open() ?? 0)} connections are open that ${kind.name}`)
      const waits = await waitsOf(service)
      const what = `a request while ${more ? 2 * count : count} connections ${kind.name}`
      figures.push(
        ratio(
          { what, database: 'sqlite', measure: 'p99 in ms', ours: percentile(waits, 0.99), more: { waits } },
          { name: 'none', value: percentile(none, 0.99) },
        ),
        memory(`while connections ${kind.name}`, service),
      )
      bad.close()
      more?.close()
      await sleep(1_000)
    }
    return { figures, refusals: await refusalsOf(service, scene) }
  },
}

/** The memory of the worker, which serves the connections. */
function memory(what: string, { pid }: Service): Figure {
  const ours = Math.max(...[pid, ...childrenOf(pid)].map(memoryOf))
  return alone({ what: `a worker ${what}`, database: 'sqlite', measure: 'MB resident', ours })
}

/** Returns the milliseconds of a well-behaved client's requests, each on a new connection. Throws if one is refused. */
async function waitsOf({ port }: Service): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: false })
  const times: number[] = []
  for (let turn = 0; turn < REQUESTS; turn++) {
    const began = performance.now()
    const status = await post(`http://127.0.0.1:${port}${GOOD[turn % GOOD.length]}`, agent)
    if (status !== 200) throw new Error(`a valid request got ${status}`)
    times.push(performance.now() - began)
  }
  return times
}

const post = (url: string, agent: Agent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('error', reject).end()
  })

/** A kind of hostile connection: the bytes that it sends first, and those that it then sends one by one. */
interface BadKind {
  readonly name: string
  readonly begin: string
  readonly trickle?: string
  /** Whether it never reads the responses. */
  readonly deaf?: boolean
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n'
const DEVICES = 'POST /api/v1/snaps/auth/devices HTTP/1.1\r\nHost: x\r\n'

const BAD_KINDS: readonly BadKind[] = [
  { name: 'say nothing', begin: '' },
  { name: 'are idle after a request', begin: `${GET}\r\n` },
  { name: 'send headers byte by byte', begin: `${GET}A: `, trickle: 'x' },
  { name: 'send bodies byte by byte', begin: `${DEVICES}Content-Length: 4000000\r\n\r\n`, trickle: 'x' },
  {
    ...{ name: 'do not read their answers', deaf: true },
    begin: 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3),
  },
]

interface Bad {
  /** Returns how many are still open. */
  open(): number
  close(): void
}

// Sending a byte on every connection takes ten seconds.
const TRICKLE_MS = 10
const TRICKLES = 1_000

/** Opens connections from a few addresses of this machine, so that there are enough ports. */
async function openBad(kind: BadKind, port: number, count: number): Promise<Bad> {
  const sockets: Socket[] = []
  for (let made = 0; made < count; made++) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: `127.0.1.${1 + (made % 4)}` })
    socket.on('error', () => {}).on('end', () => socket.destroy())
    if (kind.deaf) socket.pause()
    else socket.resume()
    sockets.push(socket)
    await Promise.race([once(socket, 'connect').catch(() => {}), once(socket, 'close')])
    if (!socket.destroyed) socket.write(kind.begin)
  }
  let next = 0
  const trickling = setInterval(() => {
    for (let at = 0; kind.trickle !== undefined && at < count / TRICKLES; at++) {
      const socket = sockets[next++ % sockets.length]
      if (socket && !socket.destroyed) socket.write(kind.trickle)
    }
  }, TRICKLE_MS)
  return {
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    close: () => {
      clearInterval(trickling)
      for (const socket of sockets) socket.destroy()
    },
  }
}
