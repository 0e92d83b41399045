/**
 * Creates a developer token for the user who is signed in to the console (contract/publisher-login.md,
 * decision 24, and contract/administration.md, B10 and B11). No tool asks for it, so the service mints the
 * root, the discharge and the token, and opens their session at once. The API has no such operation, because
 * a thief of a management token could use it to create a credential that outlives the token.
 */
import { isPermission, MAX_DESCRIPTION_LENGTH, newSessionId, type SessionId } from '@ratafia/api'
import { encodeBase64Url, encodeBinary, type Macaroon } from '@ratafia/macaroon'
import { type Account, requireEnabled } from '../../accounts/account.ts'
import { requireRecentPerson } from '../../authority.ts'
import type { ChangingBy, InChange } from '../../change.ts'
import {
  type Addresses,
  type FilledForm,
  formsOf,
  type LeftOutForm,
  type MintedCredential,
} from '../../credential-forms.ts'
import { invalidField, invalidFields, Unavailable, unauthorized } from '../../errors.ts'
import { packageReference } from '../../package-directory/package-reference.ts'
import type { Stores } from '../../stores.ts'
import { textOfLimits } from '../../third-party/recorded-limits.ts'
import { shortenSession } from '../../tokens/administration/shorten-session.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'
import { mintPair } from '../../tokens/dialects/password-root.ts'
import { openSession, type SessionOpening } from '../../tokens/open-session.ts'
import { checkTokenRequest, type RequestedToken, type TokenRequest } from '../../tokens/requested-token.ts'
import { mintToken, subjectOf } from '../../tokens/root-macaroon.ts'
import { type ListedSession, sessionRecord } from '../../tokens/session.ts'
import { type LimitNames, readLimits } from '../../tokens/wanted-limits.ts'
import type { ManagerAuthority } from '../tokens/manager.ts'
import { requireWholeToken } from '../tokens/require-whole-token.ts'

export interface OwnTokenInput {
  /** The authority of the session in the console. */
  readonly authority: ManagerAuthority
  readonly wanted: WantedToken
  /** A session of the same account that the new one replaces: it then expires at `until`, within 30 days. */
  readonly replaces?: { readonly sessionId: string; readonly until: Date } | undefined
}

/** Shown once: only its session is stored. Can be written as JSON. */
export interface OwnToken {
  readonly session: ReturnType<typeof sessionRecord>
  readonly forms: readonly FilledForm[]
  readonly leftOut: readonly LeftOutForm[]
}

export interface OwnTokenDeps
  extends Stores,
    Pick<
      TokenDependencies,
      'keyring' | 'identity' | 'location' | 'clock' | 'lifetime' | 'snapIds' | 'entryOf'
    > {
  /** This installation's own, even with an external identity service: only it can discharge what is minted here. */
  readonly ownThirdParty: TokenDependencies['thirdParty']
  /** Returns where tools find this installation. */
  readonly addresses: () => Promise<Addresses>
}

/**
 * Throws `person-required`, `recent-sign-in-required`, and as {@link requireWholeToken} does; `invalid-field`,
 * `package-not-found`, `limit-exceeded` for the wanted token; `no-such-record`, `state-conflict` for the session that
 * it replaces; a 401 if the user's own session or account has ended meanwhile. Throws `Unavailable`.
 */
export async function makeOwnToken(
  { authority, wanted, replaces }: OwnTokenInput,
  deps: OwnTokenDeps,
): Promise<OwnToken> {
  requireRecentPerson(authority, deps.clock())
  requireWholeToken(authority)
  const requested = await checkTokenRequest(requestOf(wanted), deps)
  const id = newSessionId()
  // Minted before the session is opened, so that nothing is stored while the keys are unavailable.
  const credential = await mintFor({ id, account: authority.manager.account, requested }, deps)
  const addresses = await deps.addresses()
  const session = await deps.changeBy(authority.author)(async (on) => {
    const account = await on.accounts.lock(authority.accountId)
    if (!account) throw unauthorized('The account of your session no longer exists.')
    const opened = await open({ id, account: requireEnabled(account), requested }, authority, {
      ...deps,
      tokenSessions: on.tokenSessions,
    })
    // A revocation of all the account's sessions either waits for this lock or came first.
    const own = await on.tokenSessions.find(authority.manager.sessionId)
    if (!own || own.revokedAt) throw unauthorized('Your session was revoked in the meantime. Sign in again.')
    if (replaces) {
      const within = { ...deps, tokenSessions: on.tokenSessions, changeBy: inside(on) }
      const { kind } = await shortenSession({ ...replaces, authority }, within)
      if (kind !== 'developer') throw notDevelopers()
    }
    return opened
  })
  return { session: sessionRecord(session), ...formsOf(credential, addresses) }
}

/** Returns a `changeBy` whose changes join the transaction of `on`. */
const inside =
  (on: InChange): ChangingBy =>
  () =>
  (work) =>
    work(on)

interface OwnSession {
  readonly id: SessionId
  readonly account: Account
  readonly requested: RequestedToken
}

/** Opens the session and returns it as lists show it. */
async function open(
  { id, account, requested }: OwnSession,
  { author }: ManagerAuthority,
  deps: SessionOpening,
): Promise<ListedSession> {
  const { description, since, expires: until, attenuations } = requested
  const facts = { kind: 'developer', limits: textOfLimits(attenuations) } as const
  const opening = { id, description, since, until, account, source: author.source, facts, attempt: 1, author }
  if (!(await openSession(opening, deps))) {
    throw new Unavailable('The account of a session changed under its lock')
  }
  const session = await deps.tokenSessions.find(id)
  if (!session) throw new Error('a session that was just opened does not exist')
  return session
}

/** Mints the credential, which is useless until its session is open. */
async function mintFor(
  { id: sessionId, account, requested }: OwnSession,
  deps: OwnTokenDeps,
): Promise<MintedCredential> {
  const { since, expires, extra } = requested
  const { keyring, location, identity } = deps
  const known = await subjectAt(account, deps)
  const token = mintToken(
    { ...(await keyring.mintId('token')), location, expires, since, sessionId, extra },
    { key: identity.key, value: known ?? subjectOf(account, identity) },
  )
  if (known === undefined) return { token: encoded(token), pair: undefined }
  const pair = await mintPair(
    { sessionId, since, expires, extra, subject: known },
    { ...deps, thirdParty: deps.ownThirdParty },
  )
  return {
    token: encoded(token),
    pair: { root: encoded(pair.root), discharge: encoded(pair.discharge) },
  }
}

/**
 * Returns the account's id at the identity service, which a root's discharge declares. Undefined for an
 * external identity service that does not know the account.
 */
async function subjectAt(
  account: Account,
  { identity, accounts }: Pick<OwnTokenDeps, 'identity' | 'accounts'>,
): Promise<string | undefined> {
  if (identity.bundled) return subjectOf(account, identity)
  const { location: issuer } = identity
  const [first] = await accounts.identitiesOf(account.id, { after: { issuer, subject: '' }, limit: 1 })
  return first?.issuer === issuer ? first.subject : undefined
}

const encoded = (macaroon: Macaroon): string => encodeBase64Url(encodeBinary(macaroon))

const notDevelopers = () =>
  invalidField('body/replaces is a session of management tokens, which a developer token cannot replace.', {
    field: 'body/replaces',
  })

/** An absent or empty list means no limit. */
interface WantedToken {
  readonly permissions?: readonly string[] | undefined
  readonly channels?: readonly string[] | undefined
  /** Names or snap ids. */
  readonly packages?: readonly string[] | undefined
  readonly storeIds?: readonly string[] | undefined
  /** When it expires; absent for the standard lifetime. */
  readonly expires?: Date | undefined
  readonly description?: string | undefined
}

const named = (field: string, shown: string) => ({
  ...{ field: `body/${field}`, shown: `The ${shown}`, many: `${field.replace('_', ' ')}` },
})

/** The field names of the API. */
const NAMES: LimitNames = {
  permission: named('permissions', 'permission'),
  channel: named('channels', 'channel'),
  package: named('packages', 'package'),
  store: named('store_ids', 'store'),
}

/** Returns the token as a request for a root macaroon. Throws `invalid-field` with the wrong field. */
function requestOf({ expires, description, ...wanted }: WantedToken): TokenRequest {
  const { limits, problems } = readLimits(wanted, NAMES)
  if (problems.length > 0) throw invalidFields(problems)
  if (description !== undefined && description.length > MAX_DESCRIPTION_LENGTH) {
    const field = 'body/description'
    throw invalidField(`${field} has more than ${MAX_DESCRIPTION_LENGTH} characters.`, { field })
  }
  const { permissions, channels, packages, storeIds } = limits
  return {
    ...(permissions && { permissions: permissions.filter(isPermission) }),
    ...(channels && { channels: [...channels] }),
    ...(packages && { packages: packages.map(packageReference) }),
    ...(storeIds && { store_ids: [...storeIds] }),
    ...(expires && { expires: isoOf(expires) }),
    ...(description !== undefined && description !== '' && { description }),
  }
}

/** Throws `invalid-field` for an invalid date. */
function isoOf(expires: Date): string {
  const field = 'body/expires'
  if (!Number.isNaN(expires.getTime())) return expires.toISOString()
  throw invalidField(`${field} is a date or time that does not exist.`, { field })
}
