/** Random operations of clients with logins by password: see `operations.ts`. */
import { type Client, move, remind, send, watch } from './client.ts'
import { exchange, revoke, whoami } from './log-in.ts'
import { exported, exporting, logInWithPassword, type Pair, refreshed, refreshing } from './password-login.ts'

export async function newPair({ random, people, eras, wire, pairs }: Client): Promise<void> {
  const person = random.pick(people)
  const pair = person && (await eras.during(person, (era) => logInWithPassword(person, wire, random, era)))
  if (pair) pairs.push(pair)
}

async function withPair(client: Client, work: (pair: Pair) => Promise<unknown>): Promise<unknown> {
  const pair = client.random.pick(client.pairs)
  return pair ? work(pair) : newPair(client)
}

export const showPair = (client: Client): Promise<unknown> =>
  withPair(client, async (pair) => {
    const { status } = await send(client, whoami(pair))
    if (status === 401) move(pair, client.pairs, client.endedPairs)
  })

/** Refreshes a discharge. Half of the tools keep the new one; a credential in a variable stays the old one. */
export const refreshPair = (client: Client): Promise<unknown> =>
  withPair(client, async (pair) => {
    const { status, body } = await send(client, refreshing(pair))
    if (status === 401) move(pair, client.pairs, client.endedPairs)
    if (status === 200 && client.random.chance(0.5)) client.pairs.push(refreshed(pair, body))
  })

/** Gets another credential of the same session. */
export const widenPair = (client: Client): Promise<unknown> =>
  withPair(client, async (pair) => {
    const { random, wire, tokens, pairs } = client
    if (random.chance(0.5)) {
      const token = await exchange(pair, wire, random)
      if (token) tokens.push(token)
      return
    }
    const { status, body } = await send(client, exporting(pair))
    if (status === 200) pairs.push(exported(pair, body))
  })

/** Revokes a pair with itself. Then every node must refuse it, and refuse to refresh it. */
export const revokePair = (client: Client): Promise<unknown> =>
  withPair(client, async (pair) => {
    const { random, pairs, endedPairs } = client
    // Leave some for the final check.
    if (pairs.length < 2) await newPair(client)
    if (random.chance(0.5)) await remind(client, whoami(pair))
    await send(client, revoke(pair, pair))
    for (const one of pairs.filter(({ session }) => session === pair.session)) move(one, pairs, endedPairs)
    watch(client, whoami(pair))
    watch(client, refreshing(pair))
  })

export async function showEndedPair(client: Client): Promise<void> {
  const { random, endedPairs } = client
  const pair = random.pick(endedPairs.slice(-8))
  if (pair) await send(client, random.chance(0.5) ? whoami(pair) : refreshing(pair))
}
