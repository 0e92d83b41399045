/** A client of the load, which keeps everything it received. `operations.ts` decides what it does next. */
import { REVOKED_WITHIN_MS } from '../check/invariants.ts'
import type { Issuer } from '../world/issuer.ts'
import { sleep } from '../world/processes.ts'
import type { Device, DeviceSession, Unit, Waiting } from './device.ts'
import type { IdToken, JobToken, Rule } from './job.ts'
import type { Login, Token } from './log-in.ts'
import type { Pair } from './password-login.ts'
import type { Random } from './random.ts'
import type { Model, Person } from './scene.ts'
import type { Request, Target, Wire } from './wire.ts'

export interface Client {
  readonly wire: Wire
  /** Replaced for each turn, so that a turn depends on the seed, not on how many numbers earlier turns drew. */
  random: Random
  readonly randomOf: (turn: number) => Random
  /** The number of its turns so far. */
  turns: number
  readonly people: readonly Person[]
  /** Keys that are not registered yet. */
  readonly units: Unit[]
  /** Keys that are not registered yet, for the model that needs the operator's approval. */
  readonly asking: Unit[]
  readonly waiting: Waiting[]
  readonly rejected: Waiting[]
  /** The model that its devices can become. */
  readonly next: Model
  /** The ids of the keys that a remodel was sent for. */
  readonly remodelled: Set<string>
  readonly eras: Eras
  /** Logins that were not presented yet. */
  readonly latent: Login[]
  readonly tokens: Token[]
  readonly endedTokens: Token[]
  readonly pairs: Pair[]
  readonly endedPairs: Pair[]
  readonly issuer: Issuer
  readonly rules: Rule[]
  readonly endedRules: Rule[]
  readonly usedIdTokens: IdToken[]
  readonly jobTokens: JobToken[]
  readonly endedJobTokens: JobToken[]
  /** Tokens of the management API. */
  readonly managers: Token[]
  /** Tokens of people in the console. */
  readonly consoles: Token[]
  readonly endedConsoles: Token[]
  readonly devices: Device[]
  readonly sessions: DeviceSession[]
  readonly endedSessions: DeviceSession[]
  /** Work that runs in parallel with the load. */
  readonly watching: Set<Promise<unknown>>
}

export function newClient(
  parts: Pick<Client, 'wire' | 'randomOf' | 'people' | 'units' | 'asking' | 'next' | 'issuer' | 'rules'>,
): Client {
  return {
    ...{
      eras: new Eras(),
      latent: [],
      tokens: [],
      endedTokens: [],
      pairs: [],
      endedPairs: [],
      devices: [],
      sessions: [],
      endedSessions: [],
    },
    ...{
      managers: [],
      consoles: [],
      endedConsoles: [],
      endedRules: [],
      usedIdTokens: [],
      jobTokens: [],
      endedJobTokens: [],
    },
    ...{ waiting: [], rejected: [], remodelled: new Set<string>(), watching: new Set() },
    ...{ random: parts.randomOf(0), turns: 0, ...parts },
  }
}

/**
 * When nodes are asked after the acknowledgement of a revocation: at once, just after the second within which it must
 * be in force everywhere, and later. Requests do not wait for each other: a node that is cut off may take seconds, and
 * would hide later answers.
 */
const WATCH_MS = [0, REVOKED_WITHIN_MS + 10, 2 * REVOKED_WITHIN_MS]

/** Presents a credential that was just revoked to every node, at once and when the nodes must refuse it. */
export function watch({ wire, watching }: Client, show: Request): void {
  for (const target of wire.targets) {
    for (const after of WATCH_MS) {
      beside(
        watching,
        sleep(after).then(() => wire.send(target, show)),
      )
    }
  }
}

/** Presents a credential that is about to be revoked to every node, so that each (except a slow one) caches it. */
export async function remind({ wire, watching }: Client, show: Request): Promise<void> {
  const shown = wire.targets.map((target) => wire.send(target, show))
  for (const one of shown) beside(watching, one)
  await Promise.race([Promise.all(shown), sleep(REMIND_MS)])
}

const REMIND_MS = 200

function beside(watching: Set<Promise<unknown>>, work: Promise<unknown>): void {
  const watched = work.finally(() => watching.delete(watched))
  watching.add(watched)
}

export function move<T>(thing: T, from: T[], to: T[]): void {
  const at = from.indexOf(thing)
  if (at >= 0) from.splice(at, 1)
  to.push(thing)
}

/** Returns two different nodes, if there are two. */
export function twoTargets({ wire, random }: Client): readonly [Target, Target] {
  const first = wire.pick(random)
  return [first, random.pick(wire.targets.filter((target) => target !== first)) ?? first]
}

export const send = ({ wire, random }: Client, request: Request, target: Target = wire.pick(random)) =>
  wire.send(target, request)

/**
 * Revoking all logins of a person divides the logins into eras: those before the command, which open nothing
 * afterwards, and those after it. A login that begins while the command runs may belong to either, so it is ignored.
 */
class Eras {
  /** A number that is even between commands, and odd during one. */
  readonly #eras = new Map<string, number>()

  of({ username }: Person): number {
    return this.#eras.get(username) ?? 0
  }

  /** Returns the result of `login`, which gets its era; undefined if it failed, or a command ran meanwhile. */
  async during<T extends object>(
    person: Person,
    login: (era: number) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const era = this.of(person)
    const result = await login(era)
    return era % 2 === 0 && this.of(person) === era ? result : undefined
  }

  /** Runs the command that ends the era. */
  async end<T>(person: Person, command: () => Promise<T>): Promise<T> {
    this.#next(person)
    try {
      return await command()
    } finally {
      this.#next(person)
    }
  }

  #next(person: Person): void {
    this.#eras.set(person.username, this.of(person) + 1)
  }
}
