/** The operator, who runs the program's commands while the service runs. Commands are recorded like requests. */
import type { Kind, Seen } from '../history.ts'
import type { Command } from '../world/command.ts'
import { sleep } from '../world/processes.ts'
import { type Client, remind, watch } from './client.ts'
import { nameOf, poll, subjectOf, verification } from './device.ts'
import { type Credential, exchanging, loginsOf, whoami } from './log-in.ts'
import type { Random } from './random.ts'
import { BRAND, type Person } from './scene.ts'
import type { Proof, Recorder, Request } from './wire.ts'

/** The status for each exit code; other exit codes are errors. */
const STATUSES: ReadonlyMap<number | null, number> = new Map([
  [0, 200],
  [1, 400],
  [2, 400],
  [3, 503],
  // The schema is that of a different release.
  [4, 400],
  // A killed command may have taken effect, like an unanswered request.
  [null, 0],
])

interface Commanded extends Pick<Seen, 'imports'> {
  readonly kind: Kind
  readonly words: readonly string[]
  readonly ends?: string
  /** Reads the output of a successful command. */
  readonly proves?: (stdout: string) => Proof
}

export async function command(
  { kind, words, ends, imports, proves }: Commanded,
  ratafia: Command,
  { history, now, progress }: Recorder,
): Promise<number> {
  const sent = now()
  const { code, stdout, stderr } = await progress.during(`ratafia ${words.join(' ')}`, ratafia(words))
  const status = STATUSES.get(code) ?? 500
  const seen: Seen = {
    ...{ kind, where: 'command', sent, answered: now(), status },
    ...(status === 200 ? proves?.(stdout) : { detail: stderr.slice(0, 300) }),
    ...(ends !== undefined && { ends }),
    ...(imports && { imports }),
  }
  history.push(seen)
  return status
}

export interface Operator {
  readonly clients: readonly Client[]
  readonly randomOf: (turn: number) => Random
  readonly recorder: Recorder
  readonly ratafia: Command
  /** The duties, which are done in order, repeatedly. */
  readonly duties: readonly Duty[]
  /** The pause between two commands. */
  readonly pauseMs: number
  /** The number of its turns so far, with or without a command. */
  turns: number
}

/** Runs commands until `over` returns true. */
export async function operate(operator: Operator, over: () => boolean): Promise<void> {
  const { clients, randomOf, recorder, ratafia, duties, pauseMs } = operator
  for (; !over(); operator.turns++) {
    await sleep(pauseMs)
    const random = randomOf(operator.turns + 1)
    const found = find(duties[operator.turns % duties.length], clients, random)
    if (!found || over()) continue
    const { client, chosen } = found
    if (chosen.show && !chosen.person && random.chance(0.5)) await remind(client, chosen.show)
    const run = () => command(chosen, ratafia, recorder)
    const status = await (chosen.person ? client.eras.end(chosen.person, run) : run())
    chosen.done?.(status)
    if (status !== 200) continue
    for (const request of [chosen.show, chosen.tried]) if (request) watch(client, request)
  }
}

export interface Choice extends Commanded {
  /** A request with the credential that the command revokes. */
  readonly show?: Request | undefined
  /** A request that can no longer succeed after the command. */
  readonly tried?: Request
  readonly done?: (status: number) => void
  /** The person whose logins the command revokes. */
  readonly person?: Person
}

/** Picks a client that the duty has a command for. */
function find(duty: Duty | undefined, clients: readonly Client[], random: Random) {
  const from = random.below(clients.length)
  for (const client of [...clients.slice(from), ...clients.slice(0, from)]) {
    const chosen = duty?.(client, random)
    if (chosen) return { client, chosen }
  }
  return undefined
}

export type Duty = (client: Client, random: Random) => Choice | undefined

export const DUTIES: readonly Duty[] = [
  revokeDevice,
  revokeAll,
  approve,
  revokeSession,
  reject,
  revokeAll,
  revokeDevice,
  disableAccount,
  approve,
  revokeSession,
]

function revokeDevice({ devices, sessions }: Client, random: Random): Choice | undefined {
  // Prefer a device with sessions.
  const device = random.pick(sessions)?.device ?? random.pick(devices)
  if (!device) return undefined
  const session = sessions.find((one) => one.device === device)
  return {
    kind: 'revoke-device',
    words: ['devices', 'revoke', '--yes', `${BRAND}/${device.model.name}/${device.serial}`],
    ends: subjectOf(device),
    show: session && verification(session),
  }
}

function revokeSession({ tokens, pairs, jobTokens }: Client, random: Random): Choice | undefined {
  const all = [tokens, tokens, tokens, pairs, jobTokens].filter(({ length }) => length > 0)
  const credential = random.pick(random.pick<readonly Credential[]>(all) ?? [])
  if (!credential) return undefined
  const { session } = credential
  return {
    kind: 'revoke-session',
    words: ['tokens', 'revoke', session],
    ends: `session ${session}`,
    show: whoami(credential),
  }
}

/** Revokes all logins of a person who has a login that was not presented yet, which must never open a session. */
function revokeAll({ latent, eras }: Client): Choice | undefined {
  const login = latent.at(-1)
  if (!login) return undefined
  const { person } = login
  latent.splice(0, latent.length, ...latent.filter((one) => one.person !== person))
  return {
    kind: 'revoke-all',
    words: ['tokens', 'revoke', '--account', person.username, '--all', '--yes'],
    ends: loginsOf(person, eras.of(person)),
    show: exchanging(login),
    person,
  }
}

/** Disables a client's second person. The first one is spared, so that the client can continue. */
function disableAccount({ people: [, person], tokens }: Client): Choice | undefined {
  if (!person) return undefined
  const { username } = person
  const token = tokens.find((one) => one.person === person)
  return {
    kind: 'disable-account',
    words: ['accounts', 'disable', '--yes', username],
    ends: `account ${username}`,
    show: token && whoami(token),
  }
}

/** Approves a device by its device key, since at most one device per key is pending. */
function approve({ waiting }: Client, random: Random): Choice | undefined {
  const one = random.pick(waiting)
  if (!one) return undefined
  return {
    kind: 'approve',
    // The id of a key can begin with a dash.
    words: ['devices', 'approve', '--json', '--', one.unit.key.publicKey.id],
    proves: (stdout) => {
      const { model, serial, device_key_id: key } = JSON.parse(stdout)
      return { device: { model, serial, key } }
    },
  }
}

function reject({ waiting, rejected }: Client, random: Random): Choice | undefined {
  const one = random.pick(waiting)
  if (!one) return undefined
  // Move it regardless of the result: approving a rejected device would not be a violation.
  waiting.splice(waiting.indexOf(one), 1)
  rejected.push(one)
  return {
    kind: 'reject',
    words: ['devices', 'reject', '--reason', 'not ours', '--', one.unit.key.publicKey.id],
    ends: `request ${nameOf(one.unit)}`,
    show: poll(one),
  }
}
