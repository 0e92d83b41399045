/** Compares `whoami` with 100,000 valid tokens, on both databases, with a bare Fastify route of the same schema. */
import { join } from 'node:path'
import { makeScene, type Scene } from '../../faults/load/scene.ts'
import { type MadeToken, manyTokens } from '../data/tokens.ts'
import { refusalsOf } from '../harness/refusals.ts'
import { startRepetitions } from '../harness/repetitions.ts'
import { alternate, type Contender, type Measured } from '../harness/rounds.ts'
import { type Prepared, prepare, wrk } from '../harness/wrk.ts'
import { atMost, type Figure, ratio } from '../report/figure.ts'
import { startBare } from '../services/bare-service.ts'
import { DATABASES, type DatabaseKind, newInstallation } from '../services/installation.ts'
import { contender, type Service, startRatafia } from '../services/ratafia.ts'
import { detailsOf, named, type Run, type Work, type WorkResult } from './work.ts'

const WHOAMI = '/api/v2/tokens/whoami'

export const verify: Work = {
  name: 'verify',
  says: 'whoami with tokens seen before and not, compared with a bare Fastify route',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    const results: WorkResult[] = []
    for (const kind of DATABASES) results.push(await onDatabase(kind, scene, run))
    return {
      figures: results.flatMap(({ figures }) => figures),
      refusals: results.flatMap(({ refusals }) => refusals),
    }
  },
}

export interface Sizes {
  readonly live: number
  /** The tokens in use at a time. */
  readonly used: number
  /** The tokens that are first presented when they are measured. */
  readonly fresh: number
}

export const sizesOf = ({ quick }: Run): Sizes =>
  quick ? { live: 5_000, used: 1_000, fresh: 3_000 } : { live: 100_000, used: 10_000, fresh: 120_000 }

export const asking = (tokens: readonly MadeToken[]): readonly Prepared[] =>
  tokens.map(({ text }) => ({ method: 'GET', path: WHOAMI, headers: { Authorization: `Macaroon ${text}` } }))

async function onDatabase(kind: DatabaseKind, scene: Scene, run: Run): Promise<WorkResult> {
  const sizes = sizesOf(run)
  run.say(`${kind}: creating ${sizes.live + sizes.fresh} tokens`)
  const installation = await newInstallation(kind, scene, run.directory)
  const tokens = await manyTokens(installation, scene, sizes.live + sizes.fresh)
  const file = (name: string) => join(installation.directory, name)
  const live = asking(tokens.slice(0, sizes.live))
  await prepare(file('used'), live.slice(0, sizes.used))
  await prepare(file('live'), live)
  await prepare(file('fresh'), asking(tokens.slice(sizes.live)))

  const services: Service[] = []
  const start = async (options: Parameters<typeof startRatafia>[1] = {}) => {
    const service = await startRatafia(installation, options)
    services.push(service)
    run.after(service.stop)
    return service
  }
  const ours = (name: string, service: Service, requests: string) =>
    contender(name, service, wrk({ port: service.port, file: file(requests) }))
  const service = await start()
  const bare = await startBare(service.port, live[0])
  run.after(bare.stop)
  const limit = { name: 'bare', load: wrk({ port: bare.port, file: file('used') }), pids: () => [bare.pid] }

  const seenBefore = contender(
    'seen',
    service,
    wrk({ port: service.port, file: file('used') }),
    `whoami-${kind}`,
  )
  run.say(`${kind}: tokens seen before`)
  const seen = await alternate(
    [limit, seenBefore, ours('no log', await start({ accessLog: 'off' }), 'used')],
    run.pace,
  )
  const refusals = await refusalsOf(service, scene)
  // The others would use the core even when idle.
  for (const each of services.splice(0)) await each.stop()

  run.say(`${kind}: all ${sizes.live} in turn, and tokens not seen before`)
  const all = await start()
  const unseen = await start()
  const read = await startRepetitions('read', [join(import.meta.dirname, '../services/rows.ts'), 'read'], {
    ...installation.environment,
  })
  run.after(read.stop)
  const others = await alternate(
    [limit, ours('all', all, 'live'), fresh(unseen, file, sizes, run), read],
    run.pace,
  )
  for (const each of services) await each.stop()
  await bare.stop()
  await read.stop()
  return { figures: figuresOf(kind, sizes, seen, others), refusals }
}

/** A contender that warms up with the live tokens, and then sends each of the others once. */
function fresh(
  service: Service,
  file: (name: string) => string,
  { fresh: many }: Sizes,
  { pace }: Run,
): Contender {
  const most = Math.floor(many / pace.rounds) - 100
  return {
    ...contender('fresh', service, wrk({ port: service.port, file: file('fresh'), once: { most } })),
    warmUp: wrk({ port: service.port, file: file('live') }),
  }
}

const MICRO = 1_000

function figuresOf(
  database: DatabaseKind,
  { live, used }: Sizes,
  seen: readonly Measured[],
  others: readonly Measured[],
): readonly Figure[] {
  const figure = (
    what: string,
    group: readonly Measured[],
    name: string,
    times: number,
    apart = 0,
  ): Figure => {
    const [ours, bare] = [named(group, name), named(group, 'bare')]
    return ratio(
      {
        ...{ what: `whoami, ${what}`, database, measure: 'µs of CPU' },
        ours: (ours.median.cpu - apart) * MICRO,
        more: { ours: detailsOf(ours), bare: detailsOf(bare), apart: apart * MICRO },
      },
      { name: 'bare Fastify', value: bare.median.cpu * MICRO },
      atMost(times),
    )
  }
  const read = named(others, 'read').median
  return [
    figure(`seen before (${used} of ${live} in use)`, seen, 'seen', 1.6),
    figure(`seen before, access log off`, seen, 'no log', 1.6),
    figure(`seen before, all ${live} in turn`, others, 'all', 1.6),
    figure(`not seen before, without the database read`, others, 'fresh', 3, read.cpu),
  ]
}
