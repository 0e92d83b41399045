/**
 * `POST /api/v2/tokens/oidc`: the ID token of a job becomes a token (contract/oidc.md, "The exchange"). In this order:
 * sizes, shape, issuer, algorithm and type, key, signature, `iss`, `aud`, times, rules, events, account; then one
 * transaction for the use of the ID token and the session.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { type ExchangeIdTokenResponse, newSessionId } from '@ratafia/api'
import { jobActor } from '../change.ts'
import { quote, Unavailable } from '../errors.ts'
import type { ExchangeDependencies, JobRule } from './exchange-dependencies.ts'
import {
  checkIdempotencyKey,
  type ExchangeRequest,
  readExchangeRequest,
  type SentParameters,
} from './exchange-request.ts'
import { type Granted, grantedOf } from './granted.ts'
import type { UnverifiedIdToken, VerifiedIdToken } from './id-token/id-token.ts'
import { readIdToken } from './id-token/read.ts'
import type { Issuer } from './issuers/issuer.ts'
import { describeJob } from './issuers/job.ts'
import { type JobSession, mintCredential } from './mint.ts'
import { outcomeOf } from './outcome.ts'
import { claimLines, type Progress, refusalRecorded } from './record-refusal.ts'
import { ExchangeRefusal } from './refusal.ts'
import { matchRules } from './rules/match.ts'
import { nothingGranted } from './rules/nothing-granted.ts'
import { idsOfJob } from './rules/stable-ids.ts'

export interface SentExchange {
  readonly parameters: SentParameters
  /** The header, unread. */
  readonly idempotencyKey: string | undefined
  /** The address that the request comes from. */
  readonly source: string
}

/**
 * Throws {@link ExchangeRefusal} and other {@link RequestError}, and `Unavailable`: the keys of the issuer, or the
 * database. Writes nothing but an audit entry where it refuses: the same ID token may come again.
 */
export async function exchange(
  sent: SentExchange,
  deps: ExchangeDependencies,
): Promise<ExchangeIdTokenResponse> {
  const progress: Progress = {}
  try {
    const answer = await exchangeSent(sent, progress, deps)
    deps.count(progress.issuer?.url, 'granted')
    return answer
  } catch (error) {
    deps.count(progress.issuer?.url, outcomeOf(error))
    throw await refusalRecorded(error, progress, { ...deps, source: sent.source })
  }
}

async function exchangeSent(sent: SentExchange, progress: Progress, deps: ExchangeDependencies) {
  const request = readExchangeRequest(sent.parameters, deps)
  const idempotencyKey = checkIdempotencyKey(sent.idempotencyKey)
  const token = readIdToken(request.subjectToken)
  const found = await findIssuer(token, deps)
  const { issuer } = found
  Object.assign(progress, { issuer, claims: token.unverifiedClaims })
  const verified = await deps.verify(token, found)
  progress.verified = verified
  const job: Job = { request, idempotencyKey, source: sent.source, issuer, verified }
  return exchangeVerified(job, progress, deps)
}

/** A job that proved who it is, and what it asks for. */
interface Job {
  readonly request: ExchangeRequest
  readonly idempotencyKey: string | undefined
  readonly source: string
  readonly issuer: Issuer
  readonly verified: VerifiedIdToken
}

/** Each lost attempt means that the rule has changed. */
const ATTEMPTS = 5

async function exchangeVerified(
  job: Job,
  progress: Progress,
  deps: ExchangeDependencies,
): Promise<ExchangeIdTokenResponse> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const by = await ruleOf(job, progress, deps)
    const granted = await grantedOf(job.request, by.rule, deps)
    const session = await openSession(job, by, granted, deps)
    if (session) return answerFor(job, by, granted, session, deps)
  }
  throw new Unavailable('The rule of a job kept changing')
}

/** Asks the database, and nobody else. */
async function findIssuer({ unverifiedIssuer: url }: UnverifiedIdToken, { issuers }: ExchangeDependencies) {
  const found = await issuers.findByUrl(url)
  if (found) return found
  throw new ExchangeRefusal('issuer-unknown', `The issuer of the ID token, ${quote(url)}, is unknown here.`)
}

async function ruleOf(
  { issuer, verified, request }: Job,
  progress: Progress,
  { rules }: ExchangeDependencies,
): Promise<JobRule> {
  const ids = idsOfJob(issuer, verified.claims)
  const candidates = ids.length > 0 ? await rules.findForJob(issuer.id, ids) : []
  progress.candidates = candidates
  const found = matchRules(verified, issuer, candidates, request.rule)
  progress.rule = found.rule
  if (found.rule.disabledAt) throw nothingGranted('rule-disabled', issuer, verified)
  if (found.account.disabledAt) throw nothingGranted('account-disabled', issuer, verified)
  return found
}

/** By then no clock takes it for valid: the leeway of 30 s, and a minute more (A14). */
const KEEP_MS = 90_000

/** Undefined, and nothing was written, if the rule has changed. */
async function openSession(
  job: Job,
  by: JobRule,
  granted: Granted,
  deps: ExchangeDependencies,
): Promise<JobSession | undefined> {
  const { issuer, verified } = job
  const { rule, account } = by
  const at = deps.clock()
  const session = { id: newSessionId(), until: new Date(at.getTime() + granted.lifetime) }
  const outcome = await deps.usedTokens.use({
    issuer: issuer.url,
    key: verified.key,
    at,
    keepUntil: new Date(verified.expiresAt.getTime() + KEEP_MS),
    idempotencyHash: job.idempotencyKey === undefined ? undefined : hashOf(job.idempotencyKey),
    session: {
      ...session,
      description: descriptionOf(job, by),
      job: JSON.stringify({ issuer: issuer.url, kind: issuer.kind, claims: verified.kept }),
    },
    rule,
    entry: deps.entryOf(minted(job, by, session), authorOf(job)),
  })
  if (outcome === 'changed') return undefined
  if (outcome === 'opened') return { ...session, account }
  const known = await openedBefore(job, by, deps)
  await deps.record(minted(job, by, known), authorOf(job))
  return { ...known, account }
}

const authorOf = ({ issuer, source }: Job) => ({ actor: jobActor(issuer.url), source })

const minted = (
  { issuer, verified }: Job,
  { rule, account }: JobRule,
  session: Omit<JobSession, 'account'>,
) =>
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

const descriptionOf = ({ issuer, verified, request }: Job, { rule }: JobRule): string => {
  const job = describeJob(rule.name, issuer, verified)
  return request.description === undefined ? job : `${job}: ${request.description}`
}

/** Both are its own: a job that did not get the answer asks again. */
const AGAIN_MS = 120_000

/** The session that this ID token opened, for the same idempotency key (A15). Throws {@link ExchangeRefusal} `used`. */
async function openedBefore(
  { issuer, verified, idempotencyKey }: Job,
  { rule }: JobRule,
  { usedTokens, clock }: ExchangeDependencies,
): Promise<Omit<JobSession, 'account'>> {
  const used = await usedTokens.find({ issuer: issuer.url, key: verified.key })
  const now = clock().getTime()
  const session = used?.session
  const isAgain =
    used?.idempotencyHash !== undefined &&
    idempotencyKey !== undefined &&
    timingSafeEqual(Buffer.from(used.idempotencyHash), Buffer.from(hashOf(idempotencyKey))) &&
    now - used.usedAt.getTime() < AGAIN_MS
  if (isAgain && session?.ruleId === rule.id && !session.revokedAt && now < session.until.getTime()) {
    return { id: session.id, until: session.until }
  }
  throw new ExchangeRefusal('used', 'The ID token was used before. Each is good once: get a new one.')
}

const hashOf = (idempotencyKey: string): string => hash('sha256', idempotencyKey)

async function answerFor(
  { request }: Job,
  { rule }: JobRule,
  { extra, permissions }: Granted,
  session: JobSession,
  deps: ExchangeDependencies,
): Promise<ExchangeIdTokenResponse> {
  const { accessToken, credentials } = await mintCredential(request.issuedType, session, extra, deps)
  const now = deps.clock()
  await noteUse(rule, now, deps)
  return {
    access_token: accessToken,
    issued_token_type: request.issuedType,
    token_type: 'Macaroon',
    expires_in: Math.max(0, Math.floor((session.until.getTime() - now.getTime()) / 1000)),
    scope: permissions.join(' '),
    session_id: session.id,
    rule: rule.name,
    credentials,
  }
}

const HOUR_MS = 3_600_000

/** It is right to the hour. What only the operator sees is worth no refusal. */
async function noteUse(
  { id, lastUsedAt }: JobRule['rule'],
  now: Date,
  { rules }: ExchangeDependencies,
): Promise<void> {
  if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < HOUR_MS) return
  await rules.markUsed(id, now).catch((error) => {
    if (!(error instanceof Unavailable)) throw error
  })
}
