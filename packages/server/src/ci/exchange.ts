/**
 * `POST /api/v2/tokens/oidc` exchanges the ID token of a job for a token (contract/oidc.md, "The exchange"). It checks
 * in this order: sizes, shape, issuer, algorithm and type, key, signature, `iss`, `aud`, times, rules, events, account.
 * Then one transaction records the use of the ID token and opens the session.
 */
import type { ExchangeIdTokenResponse } from '@ratafia/api'
import { quote, Unavailable } from '../errors.ts'
import type { ExchangeDependencies } from './exchange-dependencies.ts'
import { checkIdempotencyKey, readExchangeRequest, type SentParameters } from './exchange-request.ts'
import { type Granted, grantedOf } from './granted.ts'
import type { UnverifiedIdToken } from './id-token/id-token.ts'
import { readIdToken } from './id-token/read.ts'
import { type JobSession, mintCredential } from './mint.ts'
import { type Job, newJobSession, openJobSession } from './open-job-session.ts'
import { type Progress, refusalRecorded } from './record-refusal.ts'
import { ExchangeRefusal, outcomeOf } from './refusal.ts'
import { matchRules } from './rules/match.ts'
import { nothingGranted } from './rules/nothing-granted.ts'
import type { RuleForJob } from './rules/rule-store.ts'
import { idsOfJob } from './rules/stable-ids.ts'

export interface SentExchange {
  readonly parameters: SentParameters
  /** The header, unread. */
  readonly idempotencyKey: string | undefined
  /** The address that the request comes from. */
  readonly source: string
}

/**
 * Exchanges an ID token. Throws {@link ExchangeRefusal} and other {@link RequestError}, and `Unavailable` for the keys
 * of the issuer or the database. A refusal writes only an audit entry, so the same ID token can be sent again.
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
  const found = await issuerOf(token, deps)
  const { issuer } = found
  Object.assign(progress, { issuer, claims: token.unverifiedClaims })
  const verified = await deps.verify(token, found)
  progress.verified = verified
  const job: Job = { request, idempotencyKey, source: sent.source, issuer, verified }
  return exchangeVerified(job, progress, deps)
}

/** An attempt fails if the rule changes meanwhile. */
const ATTEMPTS = 5

async function exchangeVerified(
  job: Job,
  progress: Progress,
  deps: ExchangeDependencies,
): Promise<ExchangeIdTokenResponse> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const by = await ruleOf(job, progress, deps)
    const granted = await grantedOf(job.request, by.rule, deps)
    const answer = await answerBy(by, granted, job, deps)
    if (answer) return answer
  }
  throw new Unavailable('The rule of a job kept changing')
}

async function issuerOf({ unverifiedIssuer: url }: UnverifiedIdToken, { findIssuer }: ExchangeDependencies) {
  const found = await findIssuer(url)
  if (found) return found
  throw new ExchangeRefusal('issuer-unknown', `The issuer of the ID token, ${quote(url)}, is unknown here.`)
}

async function ruleOf(
  { issuer, verified, request }: Job,
  progress: Progress,
  { rules }: ExchangeDependencies,
): Promise<RuleForJob> {
  const ids = idsOfJob(issuer, verified.claims)
  const candidates = ids.length > 0 ? await rules.findForJob(issuer.id, ids) : []
  progress.candidates = candidates
  const found = matchRules(verified, issuer, candidates, request.rule)
  progress.rule = found.rule
  if (found.rule.disabledAt) throw nothingGranted('rule-disabled', issuer, verified)
  if (found.account.disabledAt) throw nothingGranted('account-disabled', issuer, verified)
  return found
}

/** Returns undefined and writes nothing if the rule has changed. */
async function answerBy(
  by: RuleForJob,
  granted: Granted,
  job: Job,
  deps: ExchangeDependencies,
): Promise<ExchangeIdTokenResponse | undefined> {
  const { issuedType } = job.request
  const mintFor = (session: JobSession) => mintCredential(issuedType, session, granted.extra, deps)
  const wanted = newJobSession(by, granted, deps)
  // Minted before the session is stored, so that the ID token stays unused if our keys cannot be reached.
  const minted = await mintFor(wanted)
  const session = await openJobSession(job, by, { session: wanted, limits: granted.limits }, deps)
  if (!session) return undefined
  const { accessToken, credentials } = session === wanted ? minted : await mintFor(session)
  const now = deps.clock()
  await noteUse(by.rule, now, deps)
  return {
    access_token: accessToken,
    issued_token_type: issuedType,
    token_type: 'Bearer',
    // Rounded: a few milliseconds have passed since the session began.
    expires_in: Math.max(0, Math.round((session.until.getTime() - now.getTime()) / 1000)),
    scope: granted.permissions.join(' '),
    session_id: session.id,
    rule: by.rule.name,
    credentials,
  }
}

const HOUR_MS = 3_600_000

/** Accurate to the hour. Only operators see this, so a job is not refused if the database fails here. */
async function noteUse(
  { id, lastUsedAt }: RuleForJob['rule'],
  now: Date,
  { rules }: ExchangeDependencies,
): Promise<void> {
  if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < HOUR_MS) return
  await rules.markUsed(id, now).catch((error) => {
    if (!(error instanceof Unavailable)) throw error
  })
}
