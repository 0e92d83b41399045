/** People and devices that use a service during an upgrade. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBase64 } from '@ratafia/macaroon'
import { INVARIANTS, type InvariantName } from '../../../faults/check/invariants.ts'
import type { Seen, Truth } from '../../../faults/history.ts'
import {
  ask,
  type Device,
  nonceRequest,
  open,
  opening,
  register,
  registration,
  registrationAgain,
  requestIdRequest,
  type Unit,
  verification,
} from '../../../faults/load/device.ts'
import { exchange, listTokens, logIn, revoke, type Token, whoami } from '../../../faults/load/log-in.ts'
import { type Random, seeded } from '../../../faults/load/random.ts'
import { type Person, type Scene, vector } from '../../../faults/load/scene.ts'
import { newRecorder, type Recorder, type Request, type Target, Wire } from '../../../faults/load/wire.ts'
import type { Command } from '../../../faults/world/command.ts'
import type { Node } from '../../../faults/world/node.ts'
import { until } from '../../../faults/world/until.ts'
import { DEFAULT_LIMITS } from '../../../packages/server/src/database/postgres/limits.ts'

/** Adds the brand, its model and the people by the commands of a release. `directory`: for the files they read. */
export async function addUsers(
  { people, models }: Scene,
  ratafia: Command,
  directory: string,
): Promise<void> {
  const run = async (...words: string[]) => {
    const { code, stderr } = await ratafia(words)
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
  }
  const file = (name: string, content = vector(name)) => {
    const path = join(directory, name.replaceAll('/', '-'))
    writeFileSync(path, content, { mode: 0o600 })
    return path
  }
  await run('migrate')
  await run('trust', 'add', file('account-test-root'), file('account-key-test-root'))
  const account = ['--account', file('account-acme-brand'), '--account-key', file('account-key-acme-brand')]
  await run('brands', 'add', ...account, '--signing-key', file('keys/brand.pem'))
  for (const { name, text, registration } of models) {
    await run('models', 'add', file(name, Buffer.from(text)), '--registration', registration)
  }
  for (const { username, keyPair } of people) {
    const email = `${username}@example.com`
    await run('accounts', 'add', username, '--email', email, '--name', username, '--no-password')
    const publicKey = encodeBase64(keyPair.publicKey)
    await run('agents', 'add', username, '--account', username, '--public-key', publicKey)
  }
}

/** The rules that answers must follow. The others are about what these users do not do. */
const RULES: ReadonlySet<InvariantName> = new Set([
  'revoked-refused',
  'serial-one-key',
  'key-one-serial',
  'nonce-once',
  'request-id-once',
  'stays-good',
])
/** Every revocation is repeated until it is acknowledged, so the rules need nothing from the database. */
const NOTHING_ELSE = { devices: [], sessions: new Map() } as unknown as Truth

/** The log entries of a node whose heartbeat was not acknowledged in time, so that it ended its connections itself. */
const UNCONFIRMED = /"time":(\d+).*(does not confirm writes|Connection terminated(?! unexpectedly))/
/** How long a request then waits for a new connection at most. */
const CONNECT_MS = DEFAULT_LIMITS.connectMs

export class Users {
  readonly #users: readonly User[]
  readonly #nodes: readonly Node[]
  readonly #wire: Wire
  readonly #recorder: Recorder = newRecorder()
  /** The time of the clock when the recorder's began. */
  readonly #epoch = performance.timeOrigin + performance.now() - this.#recorder.now()
  readonly #allowed: Allowed[] = []
  #running: Promise<unknown> | undefined
  #over = false

  /** The scene has as many people as keys: each person has a device. */
  constructor({ people, models, keys }: Scene, nodes: readonly Node[]) {
    this.#nodes = nodes
    this.#wire = new Wire(nodes, this.#recorder)
    const [model] = models
    this.#users = people.map((person, at) => {
      const key = keys[at]
      assert.ok(model && key, 'a model, and a key for each person')
      return new User(person, { model, key }, this.#wire, seeded('upgrade', person.username))
    })
  }

  /** Lets all use the service until {@link stop}, without a pause. */
  start(): void {
    const run = async (user: User) => {
      while (!this.#over) await user.round()
    }
    this.#running = Promise.all(this.#users.map(run))
  }

  /** Waits until each has done everything that it does, beginning after this call. */
  async used(): Promise<void> {
    // A round can have begun before.
    const wanted = this.#users.map(({ rounds }) => rounds + 2)
    const use = until('users to use the service', () =>
      this.#users.every(({ rounds }, at) => rounds >= Number(wanted[at])),
    )
    await Promise.race([use, this.#running])
  }

  async stop(): Promise<void> {
    this.#over = true
    await this.#running
    this.#wire.close()
  }

  /** Runs `work`, during which the node can leave requests unanswered. */
  stopping({ name }: Target, work: () => Promise<unknown>): Promise<void> {
    return this.#allow(({ status, where }) => status === 0 && where === name, work)
  }

  /** Runs `work`, during which requests can wait for a lock of the migration, and then get a 503. */
  migrating(work: () => Promise<unknown>): Promise<void> {
    return this.#allow(({ status }) => status === 503, work)
  }

  async #allow(fits: Allowed['fits'], work: () => Promise<unknown>): Promise<void> {
    const allowed: Allowed = { fits, from: this.#recorder.now(), to: Infinity }
    this.#allowed.push(allowed)
    await work()
    allowed.to = this.#recorder.now()
  }

  /**
   * Whether the node could not answer because the database had not acknowledged its heartbeat for two seconds, as on a
   * machine that is too busy. An upgrade itself does not cause this: heartbeats wait for no lock.
   */
  #isUnconfirmed({ status, where, sent, answered }: Seen): boolean {
    const lines = this.#nodes.filter(({ name }) => name === where).flatMap(({ log }) => log.lines)
    const lost = lines.flatMap(({ text }) => UNCONFIRMED.exec(text)?.[1] ?? [])
    const since = lost.map((time) => Number(time) - this.#epoch)
    return status === 503 && since.some((at) => sent <= at + CONNECT_MS && answered >= at)
  }

  /** Returns the wrong answers so far, each 5xx, and each request without an answer, unless it was allowed. */
  get wrong(): readonly string[] {
    const { history } = this.#recorder
    const isAllowed = (seen: Seen) =>
      this.#isUnconfirmed(seen) ||
      this.#allowed.some(({ fits, from, to }) => fits(seen) && seen.sent <= to && seen.answered >= from)
    return [
      ...history
        .filter((seen) => (seen.status === 0 || seen.status >= 500) && !isAllowed(seen))
        .map((seen) => JSON.stringify(seen)),
      ...INVARIANTS.filter(({ name }) => RULES.has(name)).flatMap(({ find }) => [
        ...find(history, NOTHING_ELSE),
      ]),
    ]
  }
}

/** Answers that are allowed for some time, in milliseconds of the recorder. */
interface Allowed {
  readonly fits: (seen: Seen) => boolean
  readonly from: number
  to: number
}

/** How many tokens someone keeps. */
const KEEPS = 3

class User {
  rounds = 0
  readonly #person: Person
  readonly #unit: Unit
  readonly #wire: Wire
  readonly #random: Random
  /** The first one is kept throughout. */
  readonly #tokens: Token[] = []
  readonly #revoked: Token[] = []
  #device: Device | undefined

  constructor(person: Person, unit: Unit, wire: Wire, random: Random) {
    this.#person = person
    this.#unit = unit
    this.#wire = wire
    this.#random = random
  }

  /** Does everything once. What is not answered is not done. */
  async round(): Promise<void> {
    const token = await logIn(this.#person, this.#wire, this.#random)
    if (token) this.#tokens.push(token)
    for (const each of this.#tokens) {
      await this.#everywhere(whoami(each))
      await exchange(each, this.#wire, this.#random)
      await this.#send(listTokens(each))
    }
    await this.#useDevice()
    const [kept] = this.#tokens
    if (kept && this.#tokens.length > KEEPS) {
      const [revoked] = this.#tokens.splice(1, 1)
      assert.ok(revoked)
      const isDone = async () => (await this.#send(revoke(revoked, kept))).status === 200
      await until('a revocation to be acknowledged', isDone)
      this.#revoked.push(revoked)
    }
    for (const each of this.#revoked.slice(-KEEPS)) await this.#everywhere(whoami(each))
    this.rounds += 1
  }

  async #useDevice(): Promise<void> {
    const [wire, random] = [this.#wire, this.#random]
    if (this.#device) await this.#everywhere(registrationAgain(this.#device))
    else {
      const id = await ask(requestIdRequest, wire, random)
      this.#device =
        id === undefined ? undefined : await register(this.#unit, registration(this.#unit, id), wire, random)
    }
    const nonce = await ask(nonceRequest, wire, random)
    if (!this.#device || nonce === undefined) return
    const session = await open(this.#device, opening(this.#device, nonce), wire, random)
    if (session) await this.#everywhere(verification(session))
  }

  async #everywhere(request: Request): Promise<void> {
    for (const target of this.#wire.targets) await this.#wire.send(target, request)
  }

  #send(request: Request) {
    return this.#wire.send(this.#wire.pick(this.#random), request)
  }
}
