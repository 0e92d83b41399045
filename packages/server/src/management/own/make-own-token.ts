/**
 * A developer token that the owner of a session in the console makes for themselves (contract/publisher-login.md,
 * decision 24, and contract/administration.md, B10 and B11): no tool asks for it, so the service mints root, discharge
 * and token, and opens their session at once. Only the console does this. The API has no such operation, because whoever
 * had stolen a management token could make something with it that outlives it.
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
import { mintPair } from '../../tokens/dialects/mint-pair.ts'
import { openSession, type SessionOpening } from '../../tokens/open-session.ts'
import { checkTokenRequest, type RequestedToken, type TokenRequest } from '../../tokens/requested-token.ts'
import { mintToken, subjectOf } from '../../tokens/root-macaroon.ts'
import { type ListedSession, sessionRecord } from '../../tokens/session.ts'
import { type LimitNames, readLimits } from '../../tokens/wanted-limits.ts'
import type { ManagerAuthority } from '../tokens/manager.ts'
import { requireWholeToken } from '../tokens/require-whole-token.ts'

export interface OwnTokenInput {
  /** Of the session in the console. */
  readonly authority: ManagerAuthority
  readonly wanted: WantedToken
  /** A session of one's own that the new one takes the place of: it ends then, within 30 days. */
  readonly replaces?: { readonly sessionId: string; readonly until: Date } | undefined
}

/** Shown once: nothing of it but the session is stored. JSON takes it as it is. */
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
  /** This installation's own, even beside an external identity service: only it can discharge what is minted here. */
  readonly ownThirdParty: TokenDependencies['thirdParty']
  /** Where tools find this installation. */
  readonly addresses: () => Promise<Addresses>
}

/**
 * Throws {@link RequestError}: `person-required`, `recent-sign-in-required`, and as {@link requireWholeToken};
 * `invalid-field`, `package-not-found`, `limit-exceeded` for what it is to be; for the session that it replaces
 * `no-such-record`, `state-conflict`; a 401 if the own session or account has ended meanwhile. Throws `Unavailable`.
 */
export async function makeOwnToken(
  { authority, wanted, replaces }: OwnTokenInput,
  deps: OwnTokenDeps,
): Promise<OwnToken> {
  requireRecentPerson(authority, deps.clock())
  requireWholeToken(authority)
  const requested = await checkTokenRequest(requestOf(wanted), deps)
  const id = newSessionId()
  // Before the session: while the keys are out of reach, nothing is stored.
  const credential = await mintFor({ id, account: authority.manager.account, requested }, deps)
  const addresses = await deps.addresses()
  const session = await deps.changeBy(authority.author)(async (on) => {
    const account = await on.accounts.lock(authority.accountId)
    if (!account) throw unauthorized('The account of your session no longer exists.')
    const opened = await open({ id, account: requireEnabled(account), requested }, authority, {
      ...deps,
      tokenSessions: on.tokenSessions,
    })
    // Whoever revokes all sessions of the account waits for its lock, or was first.
    const own = await on.tokenSessions.find(authority.manager.sessionId)
    if (!own || own.revokedAt) throw unauthorized('Your session was revoked meanwhile. Sign in again.')
    if (replaces) {
      const within = { ...deps, tokenSessions: on.tokenSessions, changeBy: inside(on) }
      const { kind } = await shortenSession({ ...replaces, authority }, within)
      if (kind !== 'developer') throw notDevelopers()
    }
    return opened
  })
  return { session: sessionRecord(session), ...formsOf(credential, addresses) }
}

/** A change that is part of a transaction which is under way. */
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

/** The session as lists will have it. */
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
  if (!session) throw new Error('a session that was just opened is not there')
  return session
}

/** Until the session is open, it opens nothing. */
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
 * Who the account is for the identity service, as a root with its discharge has to say it. Undefined where that is
 * another service, which does not know the account under any name.
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
  invalidField('body/replaces is a session of management tokens, which no developer token replaces.', {
    field: 'body/replaces',
  })

/** An absent or empty list means no limit. */
interface WantedToken {
  readonly permissions?: readonly string[] | undefined
  readonly channels?: readonly string[] | undefined
  /** Names or snap ids. */
  readonly packages?: readonly string[] | undefined
  readonly storeIds?: readonly string[] | undefined
  /** Absent: as long as tokens last here. */
  readonly expires?: Date | undefined
  readonly description?: string | undefined
}

const named = (field: string, shown: string) => ({
  ...{ field: `body/${field}`, shown: `The ${shown}`, many: `${field.replace('_', ' ')}` },
})

/** As the API names its fields. */
const NAMES: LimitNames = {
  permission: named('permissions', 'permission'),
  channel: named('channels', 'channel'),
  package: named('packages', 'package'),
  store: named('store_ids', 'store'),
}

/**
 * The same as a request for a root macaroon has it. Throws {@link RequestError} `invalid-field`, with the field that is
 * wrong.
 */
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

/** Throws {@link RequestError} `invalid-field` for a time that there is not. */
function isoOf(expires: Date): string {
  const field = 'body/expires'
  if (!Number.isNaN(expires.getTime())) return expires.toISOString()
  throw invalidField(`${field} is a date or time that does not exist.`, { field })
}
