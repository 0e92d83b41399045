/** Measures each operation's cost on PostgreSQL for `docs/reliability.md`: statements, CPU, and bytes stored. */
import {
  ask,
  type Device,
  type DeviceSession,
  registrationAgain,
  requestIdRequest,
  verification,
} from '../../faults/load/device.ts'
import { exchange, logIn, type Token, whoami } from '../../faults/load/log-in.ts'
import { makeScene } from '../../faults/load/scene.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { openOne, present, random, registerOne, unitsOf } from '../data/devices.ts'
import { type Flow, flows } from '../harness/flows.ts'
import { refusalsOf } from '../harness/refusals.ts'
import { idleStatements, measureOnce } from '../harness/rounds.ts'
import { alone, type Figure } from '../report/figure.ts'
import { newInstallation } from '../services/installation.ts'
import { contender, type Service, startRatafia } from '../services/ratafia.ts'
import type { Work } from './work.ts'

const CLIENTS = 4
const IDLE_SECONDS = 2
/** More seconds than any round needs, because a round ends with its turns. */
const FOREVER = 3_600

interface Cost {
  readonly what: string
  readonly statements: number
  /** CPU times in milliseconds. */
  readonly cpu: number
  readonly databaseCpu: number
  readonly bytes: number
}

export const costs: Work = {
  name: 'costs',
  says: 'statements, CPU and stored bytes of each operation on PostgreSQL',
  async measure(run) {
    const { all, refusals } = await costsOf(run)
    const figures = all.flatMap(({ what, statements, cpu, databaseCpu, bytes }): Figure[] => {
      const facts = { what, database: 'postgres' } as const
      return [
        alone({ ...facts, measure: 'statements', ours: statements }),
        alone({ ...facts, measure: 'ms of node CPU', ours: cpu }),
        alone({ ...facts, measure: 'ms of PostgreSQL CPU', ours: databaseCpu }),
        alone({ ...facts, measure: 'bytes stored', ours: bytes }),
      ]
    })
    return { figures, refusals }
  },
}

/** Returns the costs of each operation. `partitions` is that of `newInstallation`. */
export async function costsOf(run: Parameters<Work['measure']>[0], partitions?: number) {
  const times = run.quick ? 30 : 300
  const scene = await makeScene({ people: 2, models: 12, keys: 40 })
  const installation = await newInstallation('postgres', scene, run.directory, partitions)
  let service = await startRatafia(installation)
  const units = unitsOf(scene)
  const tokens: Token[] = []
  const devices: Device[] = []
  const sessions: DeviceSession[] = []
  const at = <T>(all: readonly T[], turn: number): T => present(all[turn % times])
  const send = (request: (turn: number) => Parameters<Wire['send']>[1]): Flow => {
    return async (wire, turn) => {
      const { status } = await wire.send(wire.pick(random), request(turn))
      if (status !== 200) throw new Error(`a request got ${status}`)
    }
  }
  const person = present(scene.people[0])
  const login: Flow = async (wire) => void tokens.push(present(await logIn(person, wire, random)))
  const steps: readonly (readonly [string, Flow, 'forget'?])[] = [
    ['login: 5 requests', login],
    ['exchange again', async (wire, turn) => void present(await exchange(at(tokens, turn), wire, random))],
    ['whoami, first time', send((turn) => whoami(at(tokens, turn))), 'forget'],
    ['whoami, remembered', send((turn) => whoami(at(tokens, turn)))],
    ['request-id', async (wire) => void present(await ask(requestIdRequest, wire, random))],
    [
      'registration: 2 requests',
      async (wire) => void devices.push(await registerOne(present(units.pop()), wire)),
    ],
    ['registration, again', send((turn) => registrationAgain(at(devices, turn)))],
    ['session: 2 requests', async (wire, turn) => void sessions.push(await openOne(at(devices, turn), wire))],
    [
      'refresh: 2 requests',
      async (wire, turn) => {
        const previous = at(sessions, turn)
        sessions.push(await openOne(previous.device, wire, previous))
      },
    ],
    ['device-session, first', send((turn) => verification(present(sessions[times + turn]))), 'forget'],
    ['device-session, remembered', send((turn) => verification(present(sessions[times + turn])))],
  ]
  const all: Cost[] = []
  for (const [what, flow, forget] of steps) {
    if (forget) {
      // A node that has just started has an empty cache.
      await service.stop()
      service = await startRatafia(installation)
      await measureOnce(contender('login', service, flows(service.port, 1, login, 1)), FOREVER)
    }
    const before = await bytesOf(service)
    const load = flows(service.port, CLIENTS, flow, times)
    const ours = contender(what, service, load)
    const idle = (await idleStatements([ours], IDLE_SECONDS)).get(ours)
    const { statements, cpu, databaseCpu } = await measureOnce(ours, FOREVER, idle)
    const bytes = ((await bytesOf(service)) - before) / times
    all.push({ what, statements, cpu, databaseCpu, bytes })
  }
  const refusals = await refusalsOf(service, scene)
  await service.stop()
  return { all, refusals }
}

async function bytesOf({ installation: { postgres } }: Service): Promise<number> {
  const [row] =
    (await postgres?.server.query(`select pg_database_size('${postgres.database}')::float8 as bytes`)) ?? []
  return Number(row?.['bytes'])
}
