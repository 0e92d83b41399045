/**
 * Who is asking, and within which limits: verifies what a request presents, and says in a 401 what is wrong with it.
 * List, revoke and whoami use {@link authenticate}; exchange calls {@link verifyLogin} itself, to look at the macaroon
 * before.
 */
import { MacaroonError, type UnverifiedSlice, verify } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../../accounts/account.ts'
import { refuseEndedLogin, refuseLateLogin } from '../../accounts/ended-logins/refuse-ended-login.ts'
import { accountActor } from '../../change.ts'
import { RequestError, unauthorized } from '../../errors.ts'
import type { RequestDependencies } from '../dependencies.ts'
import { type IdentitySource, readRootPayload } from '../root-macaroon.ts'
import type { Session } from '../session.ts'
import type { Authentication } from './authentication.ts'
import { type Cleared, clear } from './clear.ts'
import { firstValidSlice, type Presented, type UnverifiedMacaroon } from './first-valid-slice.ts'

/** A token, or a root with its discharge: the first valid slice counts. Throws {@link RequestError}. */
export async function authenticate(presented: Presented, deps: RequestDependencies): Promise<Authentication> {
  const { account, cleared } = await firstValidSlice(presented, deps.keyring, (slice, macaroon) =>
    verifyLogin(slice, macaroon, deps),
  )
  const { sessionId, expires, attenuations } = cleared
  return { account, sessionId, expires, expiresText: expires.toISOString().slice(0, -1), attenuations }
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

async function loginOfRoot(
  cleared: Cleared,
  { description }: { readonly description: string | undefined },
  { tokenSessions, accounts, clock, changeBy, identity, source }: RequestDependencies,
) {
  const now = clock()
  // Check this before recording anything: an expired login leaves no trace.
  refuseExpired(cleared, now)
  const account = await accounts.accountOf(cleared, source)
  // An external service's ids are not those of the accounts here.
  if (identity.bundled) refuseNamesake(cleared, account)
  refuseEndedLogin(cleared, account, identity)
  const wanted: Session = {
    id: cleared.sessionId,
    accountId: account.id,
    description,
    validSince: cleared.since,
    // Not the end this copy was narrowed to: another copy may live longer and must stay in the list.
    validUntil: cleared.mintedExpires,
    revokedAt: undefined,
    revokedBy: undefined,
  }
  const open = () => {
    refuseLateLogin(cleared, now)
    return changeBy({ actor: accountActor(account.username), source })(async (on) => {
      const { accounts, tokenSessions, record } = on
      // Whoever ends the logins of the account, or removes it, right now waits for this session, and revokes it, or was
      // first.
      const held = requireEnabled((await accounts.findAndHold(account.id)) ?? account)
      refuseEndedLogin(cleared, held, identity)
      const { session, first } = await tokenSessions.open(wanted, now)
      if (first) {
        const until = wanted.validUntil.toISOString()
        await record({
          action: 'token.open',
          subject: wanted.id,
          details: { account: account.username, until },
        })
      }
      return session
    })
  }
  const session = (await tokenSessions.find(wanted.id)) ?? (await open())
  if (session.accountId !== account.id) {
    // Do not reveal whose session it is.
    throw unauthorized('The root macaroon belongs to another login. Start a new one.')
  }
  return { session, account }
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
