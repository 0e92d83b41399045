/** The random operations of clients: a table of operations and their frequencies. */
import { sleep } from '../world/processes.ts'
import { type Client, move, remind, send, twoTargets, watch } from './client.ts'
import { endInConsole } from './console.ts'
import {
  ask,
  type Device,
  type DeviceSession,
  deviceOf,
  nonceIn,
  nonceRequest,
  open,
  opening,
  poll,
  register,
  registration,
  registrationAgain,
  requestIdIn,
  requestIdRequest,
  subjectOf,
  verification,
} from './device.ts'
import { endJob, raceIdToken, reuseIdToken, showEndedJob, showJobToken, startJob } from './jobs.ts'
import { beginLogin, exchange, listTokens, logIn, MANAGEMENT, revoke, type Token, whoami } from './log-in.ts'
import { givingItselfRole, makingJob } from './management.ts'
import { newPair, refreshPair, revokePair, showEndedPair, showPair, widenPair } from './pairs.ts'
import type { Request } from './wire.ts'

/** How long a client waits after a request without an answer. */
const DISCOURAGED_MS = 25

/** Runs operations until `over` returns true, with a pause between them. */
export async function run(client: Client, over: () => boolean, pauseMs: number): Promise<void> {
  while (!over()) {
    if (pauseMs > 0) await sleep(pauseMs)
    client.random = client.randomOf(++client.turns)
    const { history } = client.wire.recorder
    const before = history.length
    await client.random.weighted(OPERATIONS)?.run(client)
    // Everything failed at once, for example because nothing listens on the port: do not spin.
    if (history.slice(before).every(({ status }) => status === 0 || status === 503)) {
      await sleep(DISCOURAGED_MS)
    }
  }
  await Promise.all(client.watching)
}

interface Operation {
  readonly name: string
  readonly weight: number
  readonly run: (client: Client) => Promise<unknown>
}

/** All operations, with their relative frequencies. */
const OPERATIONS: readonly Operation[] = [
  { name: 'log in', weight: 4, run: newToken },
  { name: 'log in, and present the login later', weight: 3, run: latentLogin },
  { name: 'whoami', weight: 36, run: (client) => withToken(client, (token) => use(client, token)) },
  {
    name: 'list',
    weight: 2,
    run: (client) => withToken(client, (token) => send(client, listTokens(token))),
  },
  {
    name: 'exchange again',
    weight: 3,
    run: (client) => withToken(client, ({ ...login }) => exchange(login, client.wire, client.random)),
  },
  { name: 'revoke', weight: 3, run: revokeOne },
  { name: 'present a revoked credential', weight: 8, run: showRevoked },
  { name: 'log in with a password', weight: 3, run: newPair },
  { name: 'whoami with root and discharge', weight: 5, run: showPair },
  { name: 'refresh a discharge', weight: 3, run: refreshPair },
  { name: 'exchange or export root and discharge', weight: 2, run: widenPair },
  { name: 'revoke root and discharge', weight: 2, run: revokePair },
  { name: 'present a revoked root and discharge', weight: 2, run: showEndedPair },
  { name: 'exchange an ID token', weight: 4, run: startJob },
  { name: 'one ID token at two nodes', weight: 2, run: raceIdToken },
  { name: 'use an ID token again', weight: 2, run: reuseIdToken },
  { name: "whoami with a job's token", weight: 6, run: showJobToken },
  { name: 'end a job', weight: 1, run: endJob },
  { name: 'present a token of a removed rule, or use the rule', weight: 3, run: showEndedJob },
  { name: 'register', weight: 4, run: registerOne },
  {
    name: 'register again with the same bytes',
    weight: 2,
    run: (client) => withDevice(client, (device) => send(client, registrationAgain(device))),
  },
  { name: 'register a known key', weight: 1, run: registerKnown },
  { name: 'use a request-id for another device', weight: 1, run: reuseRequestId },
  { name: 'one key at two nodes', weight: 1, run: raceKey },
  { name: 'one serial for two keys', weight: 1, run: raceSerial },
  { name: 'one request-id for two keys', weight: 1, run: raceRequestId },
  { name: 'ask for approval', weight: 2, run: askForApproval },
  { name: 'ask whether it was approved', weight: 2, run: pollOne },
  { name: 'approve all pending devices in a job', weight: 2, run: approveInJob },
  { name: 'grant itself a role', weight: 1, run: askForMoreRights },
  { name: 'revoke in the console', weight: 2, run: endInConsole },
  { name: 'become a different model', weight: 1, run: (client) => remodel(client, 1) },
  { name: 'become a different model at two nodes', weight: 1, run: (client) => remodel(client, 2) },
  { name: 'open a session', weight: 4, run: openOne },
  { name: 'refresh a session', weight: 5, run: refreshOne },
  {
    name: 'open again with the same bytes',
    weight: 2,
    run: (client) => withSession(client, ({ opening }) => send(client, opening)),
  },
  { name: 'use a nonce again', weight: 2, run: reuseNonce },
  { name: 'one nonce at two nodes', weight: 2, run: raceNonce },
  {
    name: 'verify a session',
    weight: 24,
    run: (client) => withSession(client, (session) => verify(client, session)),
  },
]

async function newToken(client: Client): Promise<void> {
  const { random, people, eras, wire, tokens } = client
  const person = random.pick(people)
  const token = person && (await eras.during(person, (era) => logIn(person, wire, random, era)))
  if (token) tokens.push(token)
}

/** Enough for the operator to find one. */
const MOST_LATENT = 4

/** Begins a login, or presents an earlier one. */
async function latentLogin({ random, people, eras, wire, latent, tokens }: Client): Promise<void> {
  if (latent.length >= MOST_LATENT) {
    const [oldest] = latent.splice(0, 1)
    const token = oldest && (await exchange(oldest, wire, random))
    if (token) tokens.push(token)
    return
  }
  const person = random.pick(people)
  const begun = person && (await eras.during(person, (era) => beginLogin(person, wire, random, era)))
  if (begun) latent.push(begun.login)
}

async function withToken(client: Client, work: (token: Token) => Promise<unknown>): Promise<unknown> {
  const token = client.random.pick(client.tokens)
  return token ? work(token) : newToken(client)
}

async function withDevice(client: Client, work: (device: Device) => Promise<unknown>): Promise<unknown> {
  const device = client.random.pick(client.devices)
  return device ? work(device) : registerOne(client)
}

async function withSession(
  client: Client,
  work: (session: DeviceSession) => Promise<unknown>,
): Promise<unknown> {
  const session = client.random.pick(client.sessions)
  return session ? work(session) : openOne(client)
}

async function use(client: Client, token: Token): Promise<void> {
  const { status } = await send(client, whoami(token))
  if (status === 401) move(token, client.tokens, client.endedTokens)
}

async function verify(client: Client, session: DeviceSession): Promise<void> {
  const { status } = await send(client, verification(session))
  if (status === 401) move(session, client.sessions, client.endedSessions)
}

async function revokeOne(client: Client): Promise<void> {
  const { tokens, endedTokens, random, wire } = client
  const ended = random.pick(tokens)
  // Revoke with another token of the account, or with the token itself.
  const by = random.pick(tokens.filter(({ person }) => person === ended?.person))
  // Leave some for the final check.
  if (!ended || !by || tokens.length < 3) return
  // Nodes have cached the token, read it while it is revoked, or do not know it.
  const shown = random.below(3)
  if (shown === 0) await remind(client, whoami(ended))
  const overlapping = shown === 1 ? wire.targets.map((target) => wire.send(target, whoami(ended))) : []
  await Promise.all([send(client, revoke(ended, by)), ...overlapping])
  for (const token of tokens.filter(({ session }) => session === ended.session)) {
    move(token, tokens, endedTokens)
  }
  watch(client, whoami(ended))
}

/** Presents a recently revoked credential. From one second after its revocation, every use must be refused. */
async function showRevoked(client: Client): Promise<void> {
  const { endedTokens, endedSessions, random } = client
  const recent = <T>(all: readonly T[]) => random.pick(all.slice(-8))
  const token = recent(endedTokens)
  const session = recent(endedSessions)
  const rejected = recent(client.rejected)
  if (rejected && random.chance(0.1)) {
    await send(client, poll(rejected))
  } else if (session && random.chance(0.4)) {
    if (random.chance(0.5)) await send(client, verification(session))
    else await openWith(client, session.device, session)
  } else if (token) {
    if (random.chance(0.8)) await send(client, whoami(token))
    else await exchange(token, client.wire, random)
  }
}

async function registerOne(client: Client): Promise<void> {
  const { wire, random, units, devices } = client
  const unit = units.at(-1)
  const requestId = await ask(requestIdRequest, wire, random)
  if (!unit || requestId === undefined) return
  const device = await register(unit, registration(unit, requestId), wire, random)
  if (!device) return
  units.pop()
  devices.push(device)
}

async function registerKnown(client: Client): Promise<void> {
  const { wire, random } = client
  await withDevice(client, async (device) => {
    const requestId = await ask(requestIdRequest, wire, random)
    // A revoked device no longer gets its serial.
    const uses = [subjectOf(device)]
    if (requestId !== undefined) await send(client, { ...registration(device, requestId), uses })
  })
}

async function reuseRequestId(client: Client): Promise<void> {
  const { random, units } = client
  const unit = random.pick(units)
  await withDevice(client, async ({ registration: { body } }) => {
    if (unit) await send(client, registration(unit, requestIdIn(body)))
  })
}

async function askForApproval(client: Client): Promise<void> {
  const { wire, random, asking, waiting } = client
  const unit = asking.at(-1)
  const requestId = await ask(requestIdRequest, wire, random)
  if (!unit || requestId === undefined) return
  const request = registration(unit, requestId)
  const { status } = await send(client, request)
  // The device of an unanswered request may already be pending. It then asks again with another request-id.
  if (status !== 202) return
  asking.pop()
  waiting.push({ unit, request })
}

async function pollOne(client: Client): Promise<void> {
  const { wire, random, devices, waiting, rejected } = client
  const one = random.pick(waiting) ?? random.pick(rejected)
  if (!one) return askForApproval(client)
  const { status, body } = await wire.send(wire.pick(random), poll(one))
  if (status === 200) {
    const from = [waiting, rejected].find((all) => all.includes(one))
    from?.splice(from.indexOf(one), 1)
    devices.push(deviceOf(one.unit, one.request, body))
  } else if (status >= 400 && status < 500 && waiting.includes(one)) {
    move(one, waiting, rejected)
  }
}

/** Approves the pending devices of all clients in a job. */
async function approveInJob(client: Client): Promise<void> {
  const { wire, random, people, eras, managers } = client
  const [person] = people
  if (!person) return
  const [manager] = managers
  if (!manager) {
    const made = await eras.during(person, (era) => logIn(person, wire, random, era, MANAGEMENT))
    if (made) managers.push(made)
    return
  }
  const request = makingJob(manager, `job-${random.below(2 ** 32)}-${random.below(2 ** 32)}`.padEnd(16, '0'))
  // Ask one node, or two at the same moment, and ask again without an answer.
  const targets = twoTargets(client).slice(0, random.chance(0.3) ? 2 : 1)
  const answers = await Promise.all(targets.map((target) => send(client, request, target)))
  if (answers.some(({ status }) => status === 0 || status === 503)) await send(client, request)
  if (answers.some(({ status }) => status === 401)) managers.shift()
}

/** Asks for a role with the token that submits jobs. Its account is not an operator. */
async function askForMoreRights(client: Client): Promise<void> {
  const [manager] = client.managers
  if (manager) await send(client, givingItselfRole(manager))
  else await approveInJob(client)
}

/** Remodels a device to the next model, at one node or at two simultaneously. */
async function remodel(client: Client, times: 1 | 2): Promise<void> {
  const { wire, random, devices, next, remodelled, units } = client
  const may = (device: Device) =>
    device.model.name.startsWith('unit-') && !remodelled.has(device.key.publicKey.id)
  const device = random.pick(devices.filter(may))
  if (!device) return
  const targets = twoTargets(client).slice(0, times)
  const unit = { model: next, key: device.key }
  const requests: Request[] = []
  for (const target of targets) {
    const requestId = await ask(requestIdRequest, wire, random, target)
    if (requestId === undefined) return
    // Both have the same original. Once the key has its new serial, a request with a revoked original also gets it.
    requests.push({ ...registration(unit, requestId, { original: device }), uses: [subjectOf(device)] })
  }
  remodelled.add(device.key.publicKey.id)
  const made = await Promise.all(
    targets.map((target, at) => {
      const request = requests[at]
      return request && register(unit, request, wire, random, target)
    }),
  )
  const became = made.find((one) => one !== undefined)
  if (became) devices.push(became)
  // The remodel may have taken effect: a later request without an original must get the same serial.
  else units.push(unit)
}

async function raceKey(client: Client): Promise<void> {
  const { wire, random, units, devices } = client
  const unit = units.pop()
  const [a, b] = twoTargets(client)
  const ids = await Promise.all([
    ask(requestIdRequest, wire, random, a),
    ask(requestIdRequest, wire, random, b),
  ])
  const [first, second] = ids
  if (!unit || first === undefined || second === undefined) return
  const made = await Promise.all([
    register(unit, registration(unit, first), wire, random, a),
    register(unit, registration(unit, second), wire, random, b),
  ])
  const device = made.find((one) => one !== undefined)
  if (device) devices.push(device)
}

async function raceSerial(client: Client): Promise<void> {
  const { wire, random, units, devices } = client
  const one = units.pop()
  const other = units.findLast(({ model, key }) => model === one?.model && key !== one.key)
  const [a, b] = twoTargets(client)
  const ids = await Promise.all([
    ask(requestIdRequest, wire, random, a),
    ask(requestIdRequest, wire, random, b),
  ])
  const [first, second] = ids
  if (!one || !other || first === undefined || second === undefined) return
  const serial = `SN-${one.key.publicKey.id.slice(0, 12).replaceAll(/[-_]/g, 'x')}`
  const made = await Promise.all([
    register(one, registration(one, first, { serial }), wire, random, a),
    register(other, registration(other, second, { serial }), wire, random, b),
  ])
  units.splice(units.indexOf(other), 1)
  devices.push(...made.filter((device) => device !== undefined))
}

async function raceRequestId(client: Client): Promise<void> {
  const { wire, random, units, devices } = client
  const one = units.pop()
  const other = units.pop()
  const requestId = await ask(requestIdRequest, wire, random)
  const [a, b] = twoTargets(client)
  if (!one || !other || requestId === undefined) return
  const made = await Promise.all([
    register(one, registration(one, requestId), wire, random, a),
    register(other, registration(other, requestId), wire, random, b),
  ])
  devices.push(...made.filter((device) => device !== undefined))
}

async function openWith(client: Client, device: Device, previous?: DeviceSession): Promise<void> {
  const { wire, random, sessions } = client
  const nonce = await ask(nonceRequest, wire, random)
  if (nonce === undefined) return
  const session = await open(device, opening(device, nonce, previous), wire, random)
  if (session) sessions.push(session)
}

function openOne(client: Client): Promise<unknown> {
  return withDevice(client, (device) => openWith(client, device))
}

function refreshOne(client: Client): Promise<unknown> {
  return withSession(client, (session) => openWith(client, session.device, session))
}

async function reuseNonce(client: Client): Promise<void> {
  await withSession(client, ({ device, opening: { body } }) => send(client, opening(device, nonceIn(body))))
}

async function raceNonce(client: Client): Promise<void> {
  const { wire, random, devices, sessions } = client
  const one = random.pick(devices)
  const other = random.below(2) === 0 ? one : random.pick(devices)
  const nonce = await ask(nonceRequest, wire, random)
  const [a, b] = twoTargets(client)
  if (!one || !other || nonce === undefined) return
  const previous = random.pick(sessions.filter(({ device }) => device === other))
  const made = await Promise.all([
    open(one, opening(one, nonce), wire, random, a),
    open(other, opening(other, nonce, previous), wire, random, b),
  ])
  sessions.push(...made.filter((session) => session !== undefined))
}
