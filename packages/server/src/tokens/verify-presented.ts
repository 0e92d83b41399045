/** What list, revoke, whoami and exchange have in common: from macaroons presented to a session that stands. */
import type { AccountId } from '@ratafia/api'
import { MacaroonError, type UnverifiedSlice, verify } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../accounts/account.ts'
import { accountActor, type ChangingBy } from '../change.ts'
import type { Clock } from '../clock.ts'
import { RequestError, unauthorized } from '../errors.ts'
import type { Keyring } from '../keyring/keyring.ts'
import { type Cleared, clear } from './clear.ts'
import { type IdentityKey, readRootPayload } from './root-macaroon.ts'
import type { Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** The identity service that roots are minted for, and what it is asked to declare. */
export interface IdentitySource {
  /** Without a trailing slash. */
  readonly location: string
  readonly key: IdentityKey
}

/** Accounts as tokens need them. */
export interface AccountDirectory {
  /**
   * The account of somebody the identity service vouched for, who comes from this address. Throws `account-unknown`.
   */
  accountOf(subject: string, source: string): Promise<Account>
  find(id: AccountId): Promise<Account | undefined>
}

export interface VerifyDependencies {
  readonly keyring: Keyring
  readonly sessions: Pick<SessionStore, 'find'>
  readonly changeBy: ChangingBy<{ readonly sessions: Pick<SessionStore, 'open' | 'revoke'> }>
  readonly accounts: AccountDirectory
  readonly identity: IdentitySource
  readonly clock: Clock
  /** The address that this request comes from. */
  readonly source: string
}

export interface VerifiedLogin {
  readonly kind: 'token' | 'token-root'
  readonly cleared: Cleared
  readonly session: Session
  readonly account: Account
}

/**
 * Verifies one slice, clears its conditions, and looks up its session and account; the session of a root is
 * recorded at its first use with a discharge. Throws {@link RequestError}; its message says whether the macaroon
 * is foreign, forged, expired or revoked, or its account disabled.
 */
export async function verifyPresented(
  slice: UnverifiedSlice,
  deps: VerifyDependencies,
): Promise<VerifiedLogin> {
  const minted = await deps.keyring.resolve(slice[0].id)
  if (minted?.kind !== 'token' && minted?.kind !== 'token-root') {
    throw unauthorized('The macaroon was not issued by this service. Log in to this one.')
  }
  const { kind, payload, rootKey } = minted
  const identity = deps.identity
  const now = deps.clock()
  const conditions = verifySignatures(slice, rootKey)
  const cleared = clear(slice, conditions, { kind, identityKey: identity.key, now })
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
  return { kind, cleared, session, account }
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
      'The root macaroon was made for another identity service than the one in use now. Log in again.',
    )
  }
  return read
}

async function loginOfToken({ sessionId }: Cleared, { sessions, accounts }: VerifyDependencies) {
  const session = await sessions.find(sessionId)
  const account = session && (await accounts.find(session.accountId))
  // Tokens are minted after their session was recorded: only a database older than the token lacks it.
  if (!session || !account)
    throw unauthorized('The session of this macaroon is not known here. Log in again.')
  return { session, account }
}

async function loginOfRoot(
  cleared: Cleared,
  { description }: { readonly description: string | undefined },
  { sessions, accounts, clock, changeBy, source }: VerifyDependencies,
) {
  const now = clock()
  // Before anything is recorded: a login that is over, or an account that is disabled, leaves no trace.
  refuseExpired(cleared, now)
  const account = await accounts.accountOf(cleared.subject, source)
  const wanted: Session = {
    id: cleared.sessionId,
    accountId: account.id,
    description,
    validSince: cleared.since,
    // Not what this copy was narrowed to: another copy may be used for longer, and must not vanish from the list.
    validUntil: cleared.mintedExpires,
    revokedAt: undefined,
    revokedBy: undefined,
  }
  const open = () =>
    changeBy({ actor: accountActor(account.username), source })(async ({ sessions, record }) => {
      const { session, first } = await sessions.open(wanted, now)
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
  const session = (await sessions.find(wanted.id)) ?? (await open())
  if (session.accountId !== account.id) {
    // Whose session it is stays unsaid.
    throw unauthorized('The root macaroon belongs to another login. Start a new one.')
  }
  return { session, account }
}

function refuseExpired({ expires, sessionExpires }: Cleared, now: Date): void {
  if (now < expires) return
  throw unauthorized(
    now < sessionExpires
      ? `The discharge of the macaroon expired at ${expires.toISOString()}. Discharge it again, or log in again.`
      : `The macaroon expired at ${expires.toISOString()}. Log in again.`,
  )
}
