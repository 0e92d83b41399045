/** Verifies an ID token with the keys of its issuer, which may have changed meanwhile (contract/oidc.md, A18). */
import type { Clock } from '../../clock.ts'
import type { UnverifiedIdToken, VerifiedIdToken } from '../id-token/id-token.ts'
import { verifyIdToken } from '../id-token/verify.ts'
import { ExchangeRefusal, KeysUnavailable } from '../refusal.ts'
import type { FoundIssuer, KeysState } from './issuer.ts'
import type { KnownKeys } from './keys/known-keys.ts'
import { isBeingFetched, KEPT_MS, PAUSES } from './keys/refresh-keys.ts'

export interface VerifyByIssuerDeps {
  readonly keys: KnownKeys
  /** The base URL, without a trailing slash (A3). */
  readonly audience: string
  readonly clock: Clock
}

/**
 * Throws {@link ExchangeRefusal}, or {@link KeysUnavailable} if the issuer does not answer and the signing key is
 * unknown or all known keys are older than 24 hours.
 */
export async function verifyByIssuer(
  token: UnverifiedIdToken,
  found: FoundIssuer,
  deps: VerifyByIssuerDeps,
): Promise<VerifiedIdToken> {
  const { keys: state } = found
  if (isTooOld(state, deps.clock())) return verifyAfterRefresh(token, found, deps)
  try {
    return await verify(token, found, deps)
  } catch (error) {
    if (!mayBeOutdated(error) || state.pinnedAt) throw error
    const now = await stateAfterRefresh(found, deps)
    if (!now) throw removed()
    if (now.revision !== state.revision) return verify(token, { ...found, keys: now }, deps)
    // A key with this id is known and did not sign the token, so the token is refused even if the issuer does not
    // answer.
    if (isSettled(now) || error.reason === 'signature') throw error
    throw unavailable(found, now)
  }
}

async function verifyAfterRefresh(
  token: UnverifiedIdToken,
  found: FoundIssuer,
  deps: VerifyByIssuerDeps,
): Promise<VerifiedIdToken> {
  const keys = await stateAfterRefresh(found, deps)
  if (!keys) throw removed()
  if (isTooOld(keys, deps.clock())) throw unavailable(found, keys)
  return verify(token, { ...found, keys }, deps)
}

async function verify(
  token: UnverifiedIdToken,
  found: FoundIssuer,
  { keys, audience, clock }: VerifyByIssuerDeps,
): Promise<VerifiedIdToken> {
  const known = await keys.of(found)
  if (!known) throw removed()
  return verifyIdToken(token, { issuer: found.issuer, keys: known, audience, now: clock() })
}

/** Skips the database if the look-up of the issuer has just shown that it is too early to fetch again. */
function stateAfterRefresh(
  found: FoundIssuer,
  { keys, clock }: VerifyByIssuerDeps,
): KeysState | undefined | Promise<KeysState | undefined> {
  const now = clock()
  const { triedAt, failure } = found.keys
  const since = now.getTime() - triedAt.getTime()
  const pause = failure === undefined ? PAUSES.afterAny : PAUSES.afterFailure
  const isEarly = since < pause && since > -PAUSES.afterAny && !isBeingFetched(found.keys, now)
  return isEarly ? found.keys : keys.refresh(found)
}

/** Keys from a clock that is far ahead of this one count as old. */
function isTooOld({ pinnedAt, fetchedAt }: KeysState, now: Date): boolean {
  const age = now.getTime() - fetchedAt.getTime()
  return pinnedAt === undefined && (age > KEPT_MS || age < -PAUSES.afterAny)
}

/** Checks whether the last fetch succeeded. */
const isSettled = ({ triedAt, fetchedAt }: KeysState): boolean => triedAt <= fetchedAt

const mayBeOutdated = (error: unknown): error is ExchangeRefusal =>
  error instanceof ExchangeRefusal && (error.reason === 'key-unknown' || error.reason === 'signature')

const removed = () =>
  new ExchangeRefusal('issuer-unknown', 'The issuer of the ID token was removed a moment ago.')

const unavailable = ({ issuer }: FoundIssuer, { failure = 'the fetch did not finish' }: KeysState) =>
  new KeysUnavailable(`The keys of the issuer ${issuer.url} are not known: ${failure}`)
