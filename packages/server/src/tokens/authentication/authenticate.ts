/**
 * Who is asking, and within which limits: verifies what a request presents, and says in a 401 what is wrong with it.
 * List, revoke and whoami use {@link authenticate}; exchange calls {@link verifyLogin} itself, to look at the macaroon
 * before.
 */
import { MacaroonError, type UnverifiedSlice, verify } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../../accounts/account.ts'
import {
  refuseEarlierRoot,
  refuseEndedLogin,
  refuseLateLogin,
} from '../../accounts/ended-logins/refuse-ended-login.ts'
import type { LoginSession } from '../../accounts/logins/login-store.ts'
import { RequestError, Unavailable, unauthorized } from '../../errors.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { openSession } from '../open-session.ts'
import { type IdentitySource, readRootPayload, subjectOf } from '../root-macaroon.ts'
import type { Authentication } from './authentication.ts'
import { type Cleared, clear } from './clear.ts'
import { firstValidSlice, type Presented, type UnverifiedMacaroon } from './first-valid-slice.ts'

/** A token, or a root with its discharge: the first valid slice counts. Throws {@link RequestError}. */
export async function authenticate(presented: Presented, deps: RequestDependencies): Promise<Authentication> {
  const { account, cleared } = await firstValidSlice(presented, deps.keyring, (slice, macaroon) =>
    verifyLogin(slice, macaroon, deps),
  )
  const { sessionId, expires, sessionExpires, attenuations, givenAt } = cleared
  // A discharge of a password is refreshed, so its end is not that of what its holder has.
  const end = givenAt ? sessionExpires : expires
  return {
    account,
    sessionId,
    expires: end.toISOString().slice(0, -1),
    until: expires.getTime(),
    attenuations,
    ...(givenAt ? { givenAt: givenAt.getTime() } : {}),
  }
}

export interface VerifiedLogin {
  readonly account: Account
  readonly cleared: Cleared
}

/**
 * Verifies the slice, clears its conditions, and looks up its session and account. The session of a root is recorded
 * when the root is first used with a discharge, unless the discharge has recorded it. Throws {@link RequestError}: its
 * message says whether the macaroon is forged, revoked or expired, or its account disabled. Only if nothing else is
 * wrong does it say that a login with a password needs a fresh discharge (contract/publisher-login.md, decision 13).
 */
export async function verifyLogin(
  slice: UnverifiedSlice,
  { kind, payload, rootKey, isText }: UnverifiedMacaroon,
  deps: RequestDependencies,
): Promise<VerifiedLogin> {
  const identity = deps.identity
  const now = deps.clock()
  const conditions = verifySignatures(slice, rootKey)
  const withPassword = kind === 'token-root' && isText
  const clearing = { kind, withPassword, identityKey: identity.key, now, patterns: deps.patterns }
  const cleared = clear(slice, conditions, clearing)
  const { session, account } =
    kind === 'token'
      ? await loginOfToken(cleared, deps)
      : await loginOfRoot(cleared, { ...readPayload(payload, identity), withPassword }, deps)
  refuseRevoked(session)
  if (now >= cleared.sessionExpires) throw expired(cleared.sessionExpires)
  requireEnabled(account)
  if (withPassword) await refuseEndedOpening(cleared, { session, account }, deps)
  refuseStaleDischarge(cleared, { withPassword, now })
  return { account, cleared }
}

function refuseRevoked({ revokedAt, revokedBy }: LoginSession): void {
  if (revokedAt === undefined) return
  const by = revokedBy === undefined ? '' : ` by ${revokedBy}`
  throw unauthorized(`The macaroon was revoked at ${revokedAt.toISOString()}${by}. Log in again.`)
}

/**
 * The session of a login with a password was opened by its discharge, so it proves that nothing had ended then: what
 * counts is that the root is later than what ended since. A discharge that lasts as long as its session is a
 * credential like a token, which only the session ends. What a job exchanged an ID token for names the account here,
 * whatever the identity service is (contract/oidc.md, A13).
 */
async function refuseEndedOpening(
  cleared: Cleared,
  { session, account }: { readonly session: LoginSession; readonly account: Account },
  { accounts, identity, source }: RequestDependencies,
): Promise<void> {
  const isOwners =
    session.ruleId === undefined
      ? (await accounts.idOf(cleared, source)) === account.id
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
      'The root macaroon was made for a different identity service from the one in use now. Log in again.',
    )
  }
  return read
}

async function loginOfToken({ sessionId }: Cleared, { accounts }: RequestDependencies) {
  const login = await accounts.ofSession(sessionId)
  // A token is minted after its session is recorded, so only a database older than the token lacks the session.
  if (!login) throw unknownSession()
  return login
}

/** Each lost attempt means that the account has changed, or that the session was recorded by another request. */
const ATTEMPTS = 10

interface FirstPresented {
  readonly description: string | undefined
  readonly withPassword: boolean
}

async function loginOfRoot(
  cleared: Cleared,
  { description, withPassword }: FirstPresented,
  deps: RequestDependencies,
) {
  const { accounts, identity, source } = deps
  if (withPassword) {
    const login = await accounts.ofSession(cleared.sessionId)
    if (login) return login
    if (identity.bundled) throw unknownSession()
  }
  const now = deps.clock()
  // Check this before recording anything: an expired login leaves no trace.
  if (now >= cleared.sessionExpires) throw expired(cleared.sessionExpires)
  refuseStaleDischarge(cleared, { withPassword, now })
  const named = { accountId: await accounts.idOf(cleared, source), sessionId: cleared.sessionId }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const login = await accounts.find(named)
    if (!login) throw unauthorized('The account this login was made with no longer exists.')
    const account = requireEnabled(login.account)
    // An external service's ids are not those of the accounts here.
    if (identity.bundled) refuseNamesake(cleared, account)
    refuseEndedLogin(cleared, account, identity)
    const session = login.session ?? (await openFirstUsed({ cleared, description, account, attempt }, deps))
    if (!session) continue
    if (session.accountId !== account.id) {
      throw anothersLogin()
    }
    return { session, account }
  }
  throw new Unavailable('The account of a login kept changing')
}

interface FirstUse {
  readonly cleared: Cleared
  readonly description: string | undefined
  readonly account: Account
  readonly attempt: number
}

/** Undefined, and nothing is recorded, if the account is changing or another request has recorded the session. */
async function openFirstUsed(
  { cleared, description, account, attempt }: FirstUse,
  deps: RequestDependencies,
): Promise<LoginSession | undefined> {
  refuseLateLogin(cleared, deps.clock())
  const { sessionId: id, since, mintedExpires } = cleared
  // Not the end this copy was narrowed to: another copy may live longer and must stay in the list.
  const session = { id, description, since, until: mintedExpires }
  if (!(await openSession({ ...session, account, source: deps.source, attempt }, deps))) return undefined
  return { accountId: account.id, revokedAt: undefined, revokedBy: undefined, ruleId: undefined }
}

/** Where the discharge names a username, an account that was removed may have had it then. */
function refuseNamesake({ userid }: Cleared, account: Account): void {
  // Releases that could not remove accounts did not declare it.
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

/** For a session that is not over. */
function refuseStaleDischarge({ expires, givenAt }: Cleared, { withPassword, now }: Staleness): void {
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

const unknownSession = () => unauthorized('The session of this macaroon is not known here. Log in again.')

/** Does not reveal whose session it is. */
const anothersLogin = () => unauthorized('The root macaroon belongs to another login. Start a new one.')
