/** Measures how thousands of bad connections slow a good client, and their memory. Uses SQLite and one worker. */
import { Agent, request } from 'node:http'
import { makeScene } from '../../faults/load/scene.ts'
import { sleep } from '../../faults/world/processes.ts'
import { childrenOf, memoryOf } from '../harness/cpu.ts'
import { refusalsOf } from '../harness/refusals.ts'
import { percentile } from '../harness/statistics.ts'
import { alone, type Figure, ratio } from '../report/figure.ts'
import { BAD_KINDS, openBad } from '../services/bad-connections.ts'
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
