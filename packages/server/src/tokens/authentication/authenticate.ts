/**
 * Who is asking, and within which limits: verifies what a request presents, and says in a 401 what is wrong with it.
 * List, revoke and whoami use {@link authenticate}; exchange calls {@link verifyLogin} itself, to look at the macaroon
 * before.
 */
import { MacaroonError, type UnverifiedSlice, verify } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../../accounts/account.ts'
import { refuseEndedLogin, refuseLateLogin } from '../../accounts/ended-logins/refuse-ended-login.ts'
import type { LoginSession } from '../../accounts/logins/login-store.ts'
import { accountActor } from '../../change.ts'
import { RequestError, Unavailable, unauthorized } from '../../errors.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { type IdentitySource, readRootPayload } from '../root-macaroon.ts'
import type { Opening } from '../session-store.ts'
import type { Authentication } from './authentication.ts'
import { type Cleared, clear } from './clear.ts'
import { firstValidSlice, type Presented, type UnverifiedMacaroon } from './first-valid-slice.ts'

/** A token, or a root with its discharge: the first valid slice counts. Throws {@link RequestError}. */
export async function authenticate(presented: Presented, deps: RequestDependencies): Promise<Authentication> {
  const { account, cleared } = await firstValidSlice(presented, deps.keyring, (slice, macaroon) =>
    verifyLogin(slice, macaroon, deps),
  )
  const { sessionId, expires, attenuations } = cleared
  return {
    account,
    sessionId,
    expires: expires.toISOString().slice(0, -1),
    until: expires.getTime(),
    attenuations,
  }
}

interface VerifiedLogin {
  readonly account: Account
  readonly cleared: Cleared
}

/**
 * Verifies the slice, clears its conditions, and looks up its session and account. The session of a root is recorded
 * when the root is first used with a discharge. Throws {@link RequestError}: its message says whether the macaroon is
 * forged, expired or revoked, or its account disabled.
 */
export async function verifyLogin(
  slice: UnverifiedSlice,
  { kind, payload, rootKey }: UnverifiedMacaroon,
  deps: RequestDependencies,
): Promise<VerifiedLogin> {
  const identity = deps.identity
  const now = deps.clock()
  const conditions = verifySignatures(slice, rootKey)
  const cleared = clear(slice, conditions, { kind, identityKey: identity.key, now, patterns: deps.patterns })
  const { session, account } =
    kind === 'token'
      ? await loginOfToken(cleared, deps)
      : await loginOfRoot(cleared, readPayload(payload, identity), deps)
  if (session.revokedAt !== undefined) {
    const by = session.revokedBy === undefined ? '' : ` by ${session.revokedBy}`
    throw unauthorized(`The macaroon was revoked at ${session.revokedAt.toISOString()}${by}. Log in again.`)
  }
  requireEnabled(account)
  refuseExpired(cleared, now)
  return { account, cleared }
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
  if (!login) throw unauthorized('The session of this macaroon is not known here. Log in again.')
  return login
}

/** Each lost attempt means that the account has changed, or that the session was recorded by another request. */
const ATTEMPTS = 10

async function loginOfRoot(
  cleared: Cleared,
  { description }: { readonly description: string | undefined },
  deps: RequestDependencies,
) {
  const { accounts, identity, source } = deps
  const now = deps.clock()
  // Check this before recording anything: an expired login leaves no trace.
  refuseExpired(cleared, now)
  const named = { accountId: await accounts.idOf(cleared, source), sessionId: cleared.sessionId }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const login = await accounts.find(named)
    if (!login) throw unauthorized('The account this login was made with no longer exists.')
    const account = requireEnabled(login.account)
    // An external service's ids are not those of the accounts here.
    if (identity.bundled) refuseNamesake(cleared, account)
    refuseEndedLogin(cleared, account, identity)
    const session = login.session ?? (await openSession({ cleared, description, account, attempt }, deps))
    if (!session) continue
    if (session.accountId !== account.id) {
      // Do not reveal whose session it is.
      throw unauthorized('The root macaroon belongs to another login. Start a new one.')
    }
    return { session, account }
  }
  throw new Unavailable('The account of a login kept changing')
}

interface FirstUse {
  readonly cleared: Cleared
  readonly description: string | undefined
  /** Whoever ends its logins, disables or removes it right now waits for this session, and revokes it, or was first. */
  readonly account: Account
  readonly attempt: number
}

/** Undefined, and nothing is recorded, if the account is changing or another request has recorded the session. */
async function openSession(
  { cleared, description, account, attempt }: FirstUse,
  { tokenSessions, entryOf, source, clock }: RequestDependencies,
): Promise<LoginSession | undefined> {
  const at = clock()
  refuseLateLogin(cleared, at)
  const until = cleared.mintedExpires
  const opening: Opening = {
    session: {
      id: cleared.sessionId,
      accountId: account.id,
      description,
      validSince: cleared.since,
      // Not the end this copy was narrowed to: another copy may live longer and must stay in the list.
      validUntil: until,
    },
    loginsSince: account.loginsSince,
    at,
    entry: entryOf(
      {
        action: 'token.open',
        subject: cleared.sessionId,
        details: { account: account.username, until: until.toISOString() },
      },
      { actor: accountActor(account.username), source },
    ),
  }
  // The first time together with others, whom a change of this account must not hold up.
  const open = attempt === 0 ? tokenSessions.open : tokenSessions.openPatiently
  if (!(await open(opening))) return undefined
  return { accountId: account.id, revokedAt: undefined, revokedBy: undefined }
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

function refuseExpired({ expires, sessionExpires }: Cleared, now: Date): void {
  if (now < expires) return
  throw unauthorized(
    now < sessionExpires
      ? `The discharge of the macaroon expired at ${expires.toISOString()}. Discharge it again, or log in again.`
      : `The macaroon expired at ${expires.toISOString()}. Log in again.`,
  )
}
