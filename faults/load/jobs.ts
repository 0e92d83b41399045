/** Random operations of CI jobs: see `operations.ts`. */
import { type Client, move, remind, send, twoTargets, watch } from './client.ts'
import { exchangingIdToken, type IdToken, type JobToken, jobTokenIn, newIdToken, type Rule } from './job.ts'
import { revoke, whoami } from './log-in.ts'
import type { Target } from './wire.ts'

/** Returns an ID token for the rule. Few use the newest key, because a node that lacks it waits for the issuer. */
export function idTokenOf(
  rule: Rule,
  { issuer, random }: Client,
  idempotencyKey?: string,
): IdToken | undefined {
  const key = random.chance(0.1) ? issuer.keys.at(-1) : issuer.keys[0]
  return key && newIdToken(rule, { issuer, key, idempotencyKey })
}

/** Exchanges a new ID token. Half of the jobs send an Idempotency-Key. */
export async function startJob(client: Client): Promise<void> {
  const { random, rules } = client
  const rule = random.pick(rules)
  const idToken = rule && idTokenOf(rule, client, random.chance(0.5) ? newIdempotencyKey(client) : undefined)
  if (idToken) await exchangeIdToken(client, idToken)
}

/** Presents an ID token for the first time. */
async function exchangeIdToken(client: Client, idToken: IdToken): Promise<void> {
  client.usedIdTokens.push(idToken)
  await present(client, idToken, { fresh: true })
}

interface Presenting {
  readonly fresh?: boolean
  readonly target?: Target
}

async function present(
  client: Client,
  idToken: IdToken,
  { fresh = false, target }: Presenting = {},
): Promise<void> {
  const { random, eras, issuer, rules, jobTokens, endedJobTokens } = client
  const { rule, keyId } = idToken
  const request = exchangingIdToken(idToken, {
    pair: random.chance(0.3),
    fresh: fresh && issuer.isKnown(keyId),
  })
  const token = await eras.during(rule.person, async (era): Promise<JobToken | undefined> => {
    const { status, body } = await send(client, request, target)
    if (status !== 200) return undefined
    issuer.learned(keyId)
    return jobTokenIn(body, rule, era)
  })
  // The rule may be gone by now.
  if (token) (rules.includes(rule) ? jobTokens : endedJobTokens).push(token)
}

/** Sends an ID token to two nodes. At most one opens a session, unless both requests have one Idempotency-Key. */
export async function raceIdToken(client: Client): Promise<void> {
  const { random, rules, usedIdTokens } = client
  const rule = random.pick(rules)
  const idToken = rule && idTokenOf(rule, client)
  if (!idToken) return
  const [one, other] = [newIdempotencyKey(client), newIdempotencyKey(client)]
  const keys = random.pick([[], [one, other], [one, one]])
  const sent = twoTargets(client).map((target, at) => ({
    target,
    one: { ...idToken, idempotencyKey: keys?.[at] },
  }))
  usedIdTokens.push(...sent.map(({ one }) => one))
  await Promise.all(sent.map(({ target, one }) => present(client, one, { target })))
}

/**
 * Sends an ID token again, with its Idempotency-Key or without one. Without one it must be refused if it has opened a
 * session.
 */
export async function reuseIdToken(client: Client): Promise<void> {
  const { random, usedIdTokens } = client
  const used = random.pick(usedIdTokens.slice(-8))
  if (!used) return startJob(client)
  await present(client, random.chance(0.5) ? used : { ...used, idempotencyKey: undefined })
}

async function withJobToken(client: Client, work: (token: JobToken) => Promise<unknown>): Promise<unknown> {
  const token = client.random.pick(client.jobTokens)
  return token ? work(token) : startJob(client)
}

export const showJobToken = (client: Client): Promise<unknown> =>
  withJobToken(client, async (token) => {
    const { status } = await send(client, whoami(token))
    if (status === 401) move(token, client.jobTokens, client.endedJobTokens)
  })

/** Revokes a job's session with its own token, as a job does at its end. */
export const endJob = (client: Client): Promise<unknown> =>
  withJobToken(client, async (token) => {
    const { random, jobTokens } = client
    // Leave some for the final check.
    if (jobTokens.length < 2) await startJob(client)
    if (random.chance(0.5)) await remind(client, whoami(token))
    await send(client, revoke(token, token))
    endSessionsOf(client, ({ session }) => session === token.session)
    watch(client, whoami(token))
  })

/** Presents a recently revoked token, or a new ID token for a removed rule. */
export async function showEndedJob(client: Client): Promise<void> {
  const { random, endedJobTokens, endedRules } = client
  const token = random.pick(endedJobTokens.slice(-8))
  const rule = random.pick(endedRules)
  if (rule && random.chance(0.5)) {
    const idToken = idTokenOf(rule, client)
    if (idToken) await send(client, exchangingIdToken(idToken))
  } else if (token) {
    await send(client, whoami(token))
  }
}

export function endSessionsOf(
  { jobTokens, endedJobTokens }: Client,
  ended: (token: JobToken) => boolean,
): void {
  for (const token of jobTokens.filter(ended)) move(token, jobTokens, endedJobTokens)
}

const newIdempotencyKey = ({ random }: Client): string =>
  `attempt-${random.below(2 ** 32)}-${random.below(2 ** 32)}`.padEnd(16, '0').slice(0, 64)
