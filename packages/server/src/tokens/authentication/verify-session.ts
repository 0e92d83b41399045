/**
 * Verifies a token, or a root with its discharge, and looks up its session and account. The steps are the
 * same for developer and management tokens, which differ only in their limits. A 401 explains what is wrong.
 */
import { MacaroonError, type UnverifiedSlice, type VerifiedCondition, verify } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../../accounts/account.ts'
import {
  refuseEarlierRoot,
  refuseEndedLogin,
  refuseLateLogin,
} from '../../accounts/ended-logins/refuse-ended-login.ts'
import type { LoginSession } from '../../accounts/logins/login-store.ts'
import { RequestError, Unavailable, unauthorized } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { TokenDependencies } from '../dependencies.ts'
import { openSession, type SessionFacts } from '../open-session.ts'
import { type IdentitySource, readRootPayload, subjectOf } from '../root-macaroon.ts'
import type { SessionKind } from '../session.ts'
import { type ClearedLogin, type Clearing, isRoot, type LoginKind } from './clear-login.ts'
import type { UnverifiedMacaroon } from './first-valid-slice.ts'

export interface LoginDependencies
  extends Stores,
    Pick<TokenDependencies, 'identity' | 'accountIdOf' | 'entryOf'> {
  /** The address that the request comes from. */
  readonly source: string
}

/** The differences between developer and management tokens. */
export interface LoginRules<Cleared> {
  readonly sessions: SessionKind
  readonly clear: (
    slice: UnverifiedSlice,
    conditions: readonly VerifiedCondition[],
    clearing: Omit<Clearing, 'kind'>,
  ) => Cleared
  /** Returns the details that a new session keeps. */
  readonly facts: (cleared: Cleared) => Promise<Omit<SessionFacts, 'kind'>>
}

export interface VerifiedSession<Cleared> {
  readonly account: Account
  readonly session: LoginSession
  readonly cleared: Cleared
}

/**
 * Verifies the slice, clears its conditions, and looks up its session and account. The session of a root is recorded
 * when the root is first used with a discharge, unless the discharge has recorded it. Throws {@link RequestError},
 * whose message distinguishes a forged, revoked or expired macaroon and a disabled account. Only if nothing else is
 * wrong does it ask for a refresh of a password login's discharge (contract/publisher-login.md, decision 13).
 */
export async function verifySession<Cleared extends ClearedLogin>(
  slice: UnverifiedSlice,
  { kind, payload, rootKey, isText }: UnverifiedMacaroon<LoginKind>,
  rules: LoginRules<Cleared>,
  deps: LoginDependencies,
): Promise<VerifiedSession<Cleared>> {
  const identity = deps.identity
  const now = deps.clock()
  const conditions = verifySignatures(slice, rootKey)
  const withPassword = kind === 'token-root' && isText
  const written = rules.clear(slice, conditions, { withPassword, identityKey: identity.key, now })
  const { session, account } = isRoot(kind)
    ? await loginOfRoot(written, { ...readPayload(payload, identity), withPassword, rules }, deps)
    : await loginOfToken(written, deps)
  if (session.kind !== rules.sessions) throw unknownSession()
  refuseRevoked(session)
  const cleared = until(session.validUntil, written)
  if (now >= cleared.sessionExpires) throw expired(cleared.sessionExpires)
  requireEnabled(account)
  if (withPassword) await refuseEndedOpening(cleared, { session, account }, deps)
  refuseStaleDischarge(cleared, { withPassword, now })
  return { account, session, cleared }
}

/** Limits the login to the session's expiry, which its owner may have moved to an earlier instant. */
function until<Cleared extends ClearedLogin>(end: Date, cleared: Cleared): Cleared {
  const { expires, sessionExpires } = cleared
  if (end >= expires && end >= sessionExpires) return cleared
  const earlier = (one: Date) => (end < one ? end : one)
  return { ...cleared, expires: earlier(expires), sessionExpires: earlier(sessionExpires) }
}

function refuseRevoked({ revokedAt, revokedBy }: LoginSession): void {
  if (revokedAt === undefined) return
  const by = revokedBy === undefined ? '' : ` by ${revokedBy}`
  throw unauthorized(`The macaroon was revoked at ${revokedAt.toISOString()}${by}. Log in again.`)
}

/**
 * Refuses a password login that was invalidated after its session was opened. The discharge opened the
 * session, which proves that the login was valid then, so it only matters whether the root is later than the
 * last invalidation. A discharge that expires with its session is a credential like a token, and only
 * revoking the session revokes it. In the credential that a CI job got for its ID token, the subject is an
 * account here, whatever the identity service is (contract/oidc.md, A13).
 */
async function refuseEndedOpening(
  cleared: ClearedLogin,
  { session, account }: { readonly session: LoginSession; readonly account: Account },
  { accountIdOf, identity, source }: LoginDependencies,
): Promise<void> {
  const isOwners =
    session.ruleId === undefined
      ? (await accountIdOf(cleared, source)) === account.id
      : cleared.subject === subjectOf(account, identity)
  if (!isOwners) throw anothersLogin()
  const { dischargeExpires, mintedExpires } = cleared
  if (dischargeExpires && dischargeExpires >= mintedExpires) return
  refuseEarlierRoot(cleared, account, identity)
}

function verifySignatures(slice: UnverifiedSlice, rootKey: Uint8Array) {
  try {
    return verify(slice, rootKey)
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    if (error.code === 'limit-exceeded') {
      throw new RequestError('limit-exceeded', `The macaroon is too large: ${error.message}.`)
    }
    throw unauthorized(`The macaroon does not verify: ${error.message}. Log in again.`, { cause: error })
  }
}

function readPayload(
  payload: Uint8Array,
  identity: IdentitySource,
): { readonly description: string | undefined } {
  const read = readRootPayload(payload, identity)
  if (read === 'other-identity-service') {
    throw unauthorized(
      'The root macaroon was issued for a different identity service than the current one. Log in again.',
    )
  }
  return read
}

async function loginOfToken({ sessionId }: ClearedLogin, { logins }: LoginDependencies) {
  const login = await logins.ofSession(sessionId)
  // A token is minted after its session is recorded, so only a database older than the token lacks the session.
  if (!login) throw unknownSession()
  return login
}

/** An attempt fails if the account has changed, or another request has recorded the session. */
const ATTEMPTS = 10

interface FirstPresented<Cleared> {
  readonly description: string | undefined
  readonly withPassword: boolean
  readonly rules: LoginRules<Cleared>
}

async function loginOfRoot<Cleared extends ClearedLogin>(
  cleared: Cleared,
  { description, withPassword, rules }: FirstPresented<Cleared>,
  deps: LoginDependencies,
) {
  const { accountIdOf, logins, identity, source } = deps
  if (withPassword) {
    const login = await logins.ofSession(cleared.sessionId)
    if (login) return login
    if (identity.bundled) throw unknownSession()
  }
  const now = deps.clock()
  // Check this before recording anything: an expired login leaves no trace.
  if (now >= cleared.sessionExpires) throw expired(cleared.sessionExpires)
  refuseStaleDischarge(cleared, { withPassword, now })
  const named = { accountId: await accountIdOf(cleared, source), sessionId: cleared.sessionId }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const login = await logins.find(named)
    if (!login) throw unauthorized('The account of this login no longer exists.')
    const account = requireEnabled(login.account)
    // The ids of an external service are not those of the accounts here.
    if (identity.bundled) refuseNamesake(cleared, account)
    refuseEndedLogin(cleared, account, identity)
    const session =
      login.session ?? (await openFirstUsed({ cleared, description, account, attempt, rules }, deps))
    if (!session) continue
    if (session.accountId !== account.id) {
      throw anothersLogin()
    }
    return { session, account }
  }
  throw new Unavailable('The account of a login kept changing')
}

interface FirstUse<Cleared> {
  readonly cleared: Cleared
  readonly description: string | undefined
  readonly account: Account
  readonly attempt: number
  readonly rules: LoginRules<Cleared>
}

/** Returns undefined, and records nothing, if the account is changing or another request has recorded the session. */
async function openFirstUsed<Cleared extends ClearedLogin>(
  { cleared, description, account, attempt, rules }: FirstUse<Cleared>,
  deps: LoginDependencies,
): Promise<LoginSession | undefined> {
  refuseLateLogin(cleared, deps.clock())
  const facts = { ...(await rules.facts(cleared)), kind: rules.sessions }
  const { sessionId: id, since, mintedExpires } = cleared
  // Ignore the expiry that this copy was narrowed to: another copy can live longer, and must stay in the list.
  const session = { id, description, since, until: mintedExpires }
  const opening = { ...session, account, source: deps.source, facts, attempt }
  if (!(await openSession(opening, deps))) return undefined
  return {
    ...{ accountId: account.id, revokedAt: undefined, revokedBy: undefined, ruleId: undefined },
    ...{ kind: rules.sessions, origin: facts.origin, openedIn: facts.openedIn },
    ...{ since, validUntil: mintedExpires },
  }
}

/** Refuses a discharge for another account that had the same username and was removed. */
function refuseNamesake({ userid }: ClearedLogin, account: Account): void {
  // Releases that could not remove accounts did not declare the userid.
  if (userid === undefined || userid === account.id) return
  throw unauthorized(
    `The account that logged in as "${account.username}" was removed, and another one has this username now. ` +
      'Log in again.',
  )
}

interface Staleness {
  readonly withPassword: boolean
  readonly now: Date
}

/** Refuses an expired discharge. The session must be active. */
function refuseStaleDischarge({ expires, givenAt }: ClearedLogin, { withPassword, now }: Staleness): void {
  if (now < expires) return
  if (!withPassword) {
    throw unauthorized(
      `The discharge of the macaroon expired at ${expires.toISOString()}. Discharge it again, or log in again.`,
    )
  }
  const age = Math.floor((now.getTime() - (givenAt ?? expires).getTime()) / 1000)
  throw new RequestError('macaroon-needs-refresh', `Expired macaroon (age: ${age} seconds)`, {
    extra: { age },
  })
}

const expired = (at: Date) => unauthorized(`The macaroon expired at ${at.toISOString()}. Log in again.`)

const unknownSession = () =>
  unauthorized('This service does not know the session of this macaroon. Log in again.')

/** Does not reveal whose session it is. */
const anothersLogin = () => unauthorized('The root macaroon belongs to another login. Start a new login.')
