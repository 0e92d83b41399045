/** The operator: commands of the program beside the service, recorded like requests. */
import type { Kind, Seen } from '../history.ts'
import type { Command } from '../world/command.ts'
import { sleep } from '../world/processes.ts'
import { type Client, watch } from './client.ts'
import { subjectOf, verification } from './device.ts'
import { whoami } from './log-in.ts'
import type { Random } from './random.ts'
import { BRAND } from './scene.ts'
import type { Recorder, Request } from './wire.ts'

/** What the exit codes stand for; the others are faults. */
const STATUSES: ReadonlyMap<number | null, number> = new Map([
  [0, 200],
  [1, 400],
  [2, 400],
  [3, 503],
  // The schema is of another release.
  [4, 400],
  // Killed: it may have done its work, as a request without an answer.
  [null, 0],
])

export async function command(
  { kind, words, ends }: { kind: Kind; words: readonly string[]; ends?: string },
  ratafia: Command,
  { history, now }: Recorder,
): Promise<number> {
  const sent = now()
  const { code, stderr } = await ratafia(words)
  const status = STATUSES.get(code) ?? 500
  const seen: Seen = {
    ...{ kind, where: 'command', sent, answered: now(), status },
    ...(status === 200 ? {} : { detail: stderr.slice(0, 300) }),
    ...(ends !== undefined && { ends }),
  }
  history.push(seen)
  return status
}

interface Operator {
  readonly clients: readonly Client[]
  readonly random: Random
  readonly recorder: Recorder
  readonly ratafia: Command
  /** Between two commands. */
  readonly pauseMs: number
}

/** Goes on until `over` says so. */
export async function operate(
  { clients, random, recorder, ratafia, pauseMs }: Operator,
  over: () => boolean,
) {
  for (let turn = 1; !over(); turn++) {
    await sleep(pauseMs)
    const client = random.pick(clients)
    const chosen = client && choose(client, turn, random)
    if (!chosen || over()) continue
    const status = await command(chosen, ratafia, recorder)
    if (status === 200 && chosen.show) watch(client, chosen.show)
  }
}

interface Choice {
  readonly kind: Kind
  readonly words: readonly string[]
  readonly ends: string
  /** What is refused from then on. */
  readonly show: Request | undefined
}

function choose(
  { devices, sessions, tokens, people }: Client,
  turn: number,
  random: Random,
): Choice | undefined {
  if (turn % 2 === 1) {
    // One that has sessions, if there is one.
    const device = random.pick(sessions)?.device ?? random.pick(devices)
    if (!device) return undefined
    const session = sessions.find((one) => one.device === device)
    return {
      kind: 'revoke-device',
      words: ['devices', 'revoke', `${BRAND}/${device.model.name}/${device.serial}`],
      ends: subjectOf(device),
      show: session && verification(session),
    }
  }
  // The first of a client's people stays, so that it can go on.
  const person = people[1]
  if (person && turn % 8 === 4) {
    const { username } = person
    const token = tokens.find((one) => one.person === person)
    const words = ['accounts', 'disable', username]
    return { kind: 'disable-account', words, ends: `account ${username}`, show: token && whoami(token) }
  }
  const token = random.pick(tokens)
  if (!token) return undefined
  const { session } = token
  const words = ['tokens', 'revoke', session]
  return { kind: 'revoke-session', words, ends: `session ${session}`, show: whoami(token) }
}
