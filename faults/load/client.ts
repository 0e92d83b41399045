/** One client of the load: it remembers what it was given. What it does next is in `operations.ts`. */
import { REVOKED_WITHIN_MS } from '../check/invariants.ts'
import { sleep } from '../world/processes.ts'
import type { Device, DeviceSession, Unit } from './device.ts'
import type { Token } from './log-in.ts'
import type { Random } from './random.ts'
import type { Person } from './scene.ts'
import type { Request, Target, Wire } from './wire.ts'

export interface Client {
  readonly wire: Wire
  readonly random: Random
  readonly people: readonly Person[]
  /** Not registered yet. */
  readonly units: Unit[]
  readonly tokens: Token[]
  readonly endedTokens: Token[]
  readonly devices: Device[]
  readonly sessions: DeviceSession[]
  readonly endedSessions: DeviceSession[]
  /** What goes on beside the load. */
  readonly watching: Set<Promise<unknown>>
}

export function newClient(
  parts: Pick<Client, 'wire' | 'random' | 'people'> & { readonly units: readonly Unit[] },
): Client {
  const nothing = { tokens: [], endedTokens: [], devices: [], sessions: [], endedSessions: [] }
  return { watching: new Set(), ...nothing, ...parts, units: [...parts.units] }
}

/** A revocation holds on every node a second after its acknowledgement: each of them is asked just after that. */
const WATCH_MS = REVOKED_WITHIN_MS + 50

/** Shows what was revoked to every node, at once and when it has to be refused. */
export function watch(client: Client, show: Request): void {
  const showToAll = () => Promise.all(client.wire.targets.map((target) => send(client, show, target)))
  const watched = showToAll()
    .then(() => sleep(WATCH_MS))
    .then(showToAll)
    .finally(() => client.watching.delete(watched))
  client.watching.add(watched)
}

export const send = ({ wire, random }: Client, request: Request, target: Target = wire.pick(random)) =>
  wire.send(target, request, random)
