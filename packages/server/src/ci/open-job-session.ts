/** Opens the session of a job by using its ID token, or finds it again (contract/oidc.md, A13 to A15). */
import { timingSafeEqual } from 'node:crypto'
import { newSessionId } from '@ratafia/api'
import { jobActor } from '../change.ts'
import { textOfLimits } from '../third-party/recorded-limits.ts'
import type { SessionJob } from '../tokens/session.ts'
import type { ExchangeDependencies } from './exchange-dependencies.ts'
import type { ExchangeRequest } from './exchange-request.ts'
import type { Granted } from './granted.ts'
import { LEEWAY_SECONDS } from './id-token/check-claims.ts'
import type { VerifiedIdToken } from './id-token/id-token.ts'
import type { Issuer } from './issuers/issuer.ts'
import { describeJob } from './issuers/job.ts'
import type { JobSession } from './mint.ts'
import { claimLines } from './record-refusal.ts'
import { ExchangeRefusal } from './refusal.ts'
import type { RuleForJob } from './rules/rule-store.ts'

/** A job that proved its identity, and its request. */
export interface Job {
  readonly request: ExchangeRequest
  readonly idempotencyKey: string | undefined
  readonly source: string
  readonly issuer: Issuer
  readonly verified: VerifiedIdToken
}

/** After the leeway and one more minute, the ID token has expired by every node's clock. */
const KEEP_MS = (LEEWAY_SECONDS + 60) * 1000

/** Returns a session that begins now and is not stored yet. */
export function newJobSession(
  { account }: RuleForJob,
  { lifetime }: Granted,
  { clock }: ExchangeDependencies,
): JobSession {
  const since = clock()
  return { id: newSessionId(), since, until: new Date(since.getTime() + lifetime), account }
}

/**
 * Stores the session and returns it, or the one that this ID token opened a moment ago for the same idempotency key.
 * Returns undefined and writes nothing if the rule has changed. Throws {@link ExchangeRefusal} `used`.
 */
export async function openJobSession(
  job: Job,
  by: RuleForJob,
  { session, limits }: { readonly session: JobSession } & Pick<Granted, 'limits'>,
  deps: ExchangeDependencies,
): Promise<JobSession | undefined> {
  const { issuer, verified } = job
  const { rule } = by
  const outcome = await deps.usedTokens.use({
    issuer: issuer.url,
    key: verified.key,
    at: session.since,
    keepUntil: new Date(verified.expiresAt.getTime() + KEEP_MS),
    idempotencyHash: await hashOf(job, deps),
    session: {
      id: session.id,
      until: session.until,
      description: descriptionOf(job, by),
      limits: textOfLimits(limits),
      job: { rule: rule.name, issuer: issuer.url, claims: verified.kept } satisfies SessionJob,
    },
    rule,
    entry: deps.entryOf(minted(job, by, session), authorOf(job)),
  })
  if (outcome === 'changed') return undefined
  if (outcome === 'opened') return session
  const known = await openedBefore(job, { by, until: session.until }, deps)
  await deps.record(minted(job, by, known), authorOf(job))
  return known
}

const authorOf = ({ issuer, source }: Job) => ({ actor: jobActor(issuer.url), source })

const minted = ({ issuer, verified }: Job, { rule, account }: RuleForJob, session: JobSession) =>
  ({
    action: 'publisher.minted',
    subject: session.id,
    details: {
      rule: rule.name,
      version: rule.version,
      account: account.username,
      issuer: issuer.url,
      until: session.until.toISOString(),
      claims: claimLines(verified.kept),
    },
  }) as const

const descriptionOf = ({ issuer, verified, request }: Job, { rule }: RuleForJob): string => {
  const job = describeJob(rule.name, issuer, verified)
  return request.description === undefined ? job : `${job}: ${request.description}`
}

/** A job that did not get the answer can repeat the request within this time. */
const AGAIN_MS = 120_000

interface Again {
  readonly by: RuleForJob
  /** When a new session would expire. */
  readonly until: Date
}

/**
 * Returns the session that this ID token opened for the same idempotency key (A15), which never lasts longer than this
 * request asks for. Throws {@link ExchangeRefusal} `used`.
 */
async function openedBefore(
  job: Job,
  { by: { rule, account }, until: asked }: Again,
  deps: ExchangeDependencies,
): Promise<JobSession> {
  const { issuer, verified } = job
  const { usedTokens, clock } = deps
  const idempotencyHash = await hashOf(job, deps)
  const used = await usedTokens.find({ issuer: issuer.url, key: verified.key })
  const now = clock().getTime()
  const session = used?.session
  const isAgain =
    used?.idempotencyHash !== undefined &&
    idempotencyHash !== undefined &&
    timingSafeEqual(Buffer.from(used.idempotencyHash), Buffer.from(idempotencyHash)) &&
    now - used.usedAt.getTime() < AGAIN_MS
  if (isAgain && session?.ruleId === rule.id && !session.revokedAt && now < session.until.getTime()) {
    const until = asked < session.until ? asked : session.until
    return { id: session.id, since: used.usedAt, until, account }
  }
  throw new ExchangeRefusal('used', 'The ID token was used before, and each works only once. Get a new one.')
}

/** Returns a keyed hash, because the key of a client can be easy to guess. Undefined without a key. */
const hashOf = async (
  { idempotencyKey }: Job,
  { keyring }: Pick<ExchangeDependencies, 'keyring'>,
): Promise<string | undefined> =>
  idempotencyKey === undefined ? undefined : keyring.fingerprint('exchange key', idempotencyKey)
