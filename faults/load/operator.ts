/** The operator: commands of the program beside the service, recorded like requests. */
import type { Kind, Seen } from '../history.ts'
import type { Command } from '../world/command.ts'
import type { Client } from './client.ts'
import { subjectOf } from './device.ts'
import type { Random } from './random.ts'
import type { Recorder } from './wire.ts'

/** What the exit codes stand for; the others are faults. */
const STATUSES: ReadonlyMap<number | null, number> = new Map([
  [0, 200],
  [1, 400],
  [2, 400],
  [3, 503],
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
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const chosen = choose(random.pick(clients), turn, random)
    if (!chosen || over()) continue
    await command(chosen, ratafia, recorder)
  }
}

function choose(client: Client | undefined, turn: number, random: Random) {
  const device = random.pick(client?.devices ?? [])
  const token = random.pick(client?.tokens ?? [])
  if (device && turn % 2 === 1) {
    const name = `acme-brand/${device.model.name}/${device.serial}`
    return { kind: 'revoke-device', words: ['devices', 'revoke', name], ends: subjectOf(device) } as const
  }
  // The first of a client's people stays, so that it can go on.
  const person = client?.people[1]
  if (person && turn % 8 === 4) {
    const { username } = person
    return {
      kind: 'disable-account',
      words: ['accounts', 'disable', username],
      ends: `account ${username}`,
    } as const
  }
  if (!token) return undefined
  const { session } = token
  return { kind: 'revoke-session', words: ['tokens', 'revoke', session], ends: `session ${session}` } as const
}
