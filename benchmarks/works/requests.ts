/** Compares short requests with a bare Fastify of the same schemas and responses: our cost beyond HTTP and JSON. */
import { join } from 'node:path'
import { makeScene } from '../../faults/load/scene.ts'
import { manyDeviceSessions } from '../data/device-sessions.ts'
import { registerAll, unitsOf } from '../data/devices.ts'
import { alternate, type Contender } from '../harness/rounds.ts'
import { type Prepared, prepare, wrk } from '../harness/wrk.ts'
import { atMost, ratio } from '../report/figure.ts'
import { startBare } from '../services/bare-service.ts'
import { contender } from '../services/ratafia.ts'
import { onEachDatabase } from './on-each-database.ts'
import { detailsOf, named, type Work } from './work.ts'

interface Kind {
  readonly name: string
  /** Its target, as a multiple of the bare route's cost. */
  readonly times: number
  readonly requests: readonly Prepared[]
}

/** The token request of snapcraft. */
const WANTED = {
  ...{ description: 'the CI of a team', permissions: ['package_access', 'package_push'] },
  ...{ channels: ['edge', 'beta'], expires: '2037-01-01T00:00:00.000' },
}
export const POST_TOKENS = post('/api/v2/tokens', JSON.stringify(WANTED), {
  'Content-Type': 'application/json',
})
const POSTS: readonly Kind[] = [
  { name: 'POST tokens', times: 2.5, requests: [POST_TOKENS] },
  { name: 'POST nonces', times: 1.8, requests: [post('/api/v1/snaps/auth/nonces')] },
  { name: 'POST request-id', times: 1.8, requests: [post('/api/v1/snaps/auth/request-id')] },
]

function post(path: string, body = '', headers = {}): Prepared {
  return { method: 'POST', path, body, headers }
}

export const requests: Work = {
  name: 'requests',
  says: 'tokens, nonces, request-ids and device sessions, compared with a bare Fastify route',
  async measure(run) {
    const scene = await makeScene({ people: 2, models: 2, keys: 21 })
    return onEachDatabase(run, scene, async (service, database) => {
      const { installation } = service
      const devices = await registerAll(unitsOf(scene), service.port)
      const texts = await manyDeviceSessions(installation, devices, run.quick ? 200 : 10_000)
      const verifying = texts.map((text): Prepared => {
        const headers = { 'X-Device-Authorization': `Macaroon root="${text}"` }
        return { method: 'GET', path: '/device-session', headers }
      })
      const seen = { name: 'GET device-session, seen', times: 1.6, requests: verifying }
      // The others don't query the database.
      const kinds = database === 'sqlite' ? [...POSTS, seen] : [seen]
      const bare = await startBare(service.port, ...kinds.map(({ requests: [first] }) => first))
      run.after(bare.stop)
      const contenders: Contender[] = []
      for (const { name, requests } of kinds) {
        const file = join(installation.directory, name.replace(/\W+/g, '-'))
        await prepare(file, requests)
        const profileAs = `${name.replace(/\W+/g, '-').toLowerCase()}-${database}`
        contenders.push(contender(name, service, wrk({ port: service.port, file }), profileAs), {
          name: `bare ${name}`,
          load: wrk({ port: bare.port, file }),
          pids: () => [bare.pid],
        })
      }
      const measured = await alternate(contenders, run.pace)
      await bare.stop()
      return kinds.map(({ name, times }) => {
        const [ours, limit] = [named(measured, name), named(measured, `bare ${name}`)]
        const more = { ours: detailsOf(ours), bare: detailsOf(limit) }
        return ratio(
          { what: name, database, measure: 'µs of CPU', ours: ours.median.cpu * 1_000, more },
          { name: 'bare Fastify', value: limit.median.cpu * 1_000 },
          atMost(times),
        )
      })
    })
  },
}
