/**
 * Explains what a token allows, or why it is refused (contract/administration.md, resources), to its holder.
 * The token is verified as if it were presented, but opens nothing, and nothing is stored.
 */
import type { EXPLAINED_KINDS, Explanation } from '@ratafia/api/schemas'
import { RequestError } from '../../errors.ts'
import { rolesToMint } from '../../grants/manage-caveat.ts'
import type { MacaroonKind } from '../../keyring/keyring.ts'
import { verifyLogin } from '../../tokens/authentication/authenticate.ts'
import {
  firstValidSlice,
  type Presented,
  type Taken,
  type UnverifiedMacaroon,
} from '../../tokens/authentication/first-valid-slice.ts'
import type { RequestDependencies } from '../../tokens/dependencies.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { permissionsOf } from '../me.ts'
import { authorityOf, reachedRoles } from './manager.ts'
import { verifyManager } from './verify-manager.ts'

export type ExplainDeps = ManagementDependencies & RequestDependencies

type Kind = 'token' | 'token-root' | 'management-token' | 'management-root'
type Slice = Parameters<typeof verifyLogin>[0]

const EXPLAINED: Taken<Kind> = {
  kinds: ['token', 'token-root', 'management-token', 'management-root'],
  advice: 'Only tokens of developers and administrators can be explained.',
}

const NAMES: Readonly<Record<MacaroonKind, (typeof EXPLAINED_KINDS)[number]>> = {
  token: 'developer-token',
  'token-root': 'developer-root',
  'management-token': 'management-token',
  'management-root': 'management-root',
  'device-session': 'device-session',
  'agent-login': 'agent-login',
}

/** The explanation of an accepted token. */
type Meaning = Omit<Explanation, 'kind' | 'accepted' | 'refusal'>

const NOTHING: Meaning = { username: null, session_id: null, expires: null, limits: null, may: null }

/**
 * `read` returns the holder's macaroons, and throws {@link RequestError} for an unreadable text. This throws
 * only `Unavailable`, if the token could not be checked.
 */
export async function explain(read: () => Presented, deps: ExplainDeps): Promise<Explanation> {
  let kind: Explanation['kind'] = null
  try {
    const presented = read()
    const resolved = await deps.keyring.resolve(presented[0][0].id)
    kind = resolved ? NAMES[resolved.kind] : null
    const without = recordingNothing(deps)
    const meaning = await firstValidSlice(
      presented,
      { keyring: deps.keyring, taken: EXPLAINED },
      (slice, one) => (isDevelopers(one) ? ofDeveloper(slice, one, without) : ofManager(slice, one, without)),
    )
    return { kind, accepted: true, refusal: null, ...meaning }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const { code, message } = error
    return { kind, accepted: false, refusal: { code, message }, ...NOTHING }
  }
}

/** Treats a root without a session as its first use would, but does not open one. */
const recordingNothing = (deps: ExplainDeps): ExplainDeps => ({
  ...deps,
  accountIdOf: deps.knownAccountIdOf,
  tokenSessions: {
    ...deps.tokenSessions,
    open: async () => true,
    openPatiently: async () => true,
  },
})

const isDevelopers = (one: UnverifiedMacaroon<Kind>): one is UnverifiedMacaroon =>
  one.kind === 'token' || one.kind === 'token-root'

async function ofDeveloper(slice: Slice, macaroon: UnverifiedMacaroon, deps: ExplainDeps): Promise<Meaning> {
  const { account, cleared } = await verifyLogin(slice, macaroon, deps)
  const { channels, packages, permissions, storeIds } = cleared.attenuations
  return {
    username: account.username,
    session_id: cleared.sessionId,
    // A discharge of a password is refreshed, so it expires before the credential does.
    expires: (cleared.givenAt ? cleared.sessionExpires : cleared.expires).toISOString(),
    limits: {
      permissions: listed(permissions),
      channels: listed(channels),
      packages: listed(packages),
      store_ids: listed(storeIds),
    },
    may: null,
  }
}

const listed = (values: readonly string[] | null): string[] | null => values && [...values]

async function ofManager(
  slice: Slice,
  macaroon: UnverifiedMacaroon<Kind>,
  deps: ExplainDeps,
): Promise<Meaning> {
  const { kind } = macaroon
  if (kind !== 'management-token' && kind !== 'management-root')
    throw new TypeError(`${kind} is of a developer`)
  const now = deps.clock()
  const { account, session, cleared, ...age } = await verifyManager(slice, { ...macaroon, kind }, deps)
  const { sessionId, expires, limits } = cleared
  const grants = await deps.grants.heldBy(account.id, now)
  // A root is explained as the token that its exchange would return now.
  const minted = cleared.minted ?? {
    grants: rolesToMint(reachedRoles({ grants, ...age }, now), limits),
    readOnly: limits.some(({ readOnly }) => readOnly),
  }
  const manager = {
    ...{ account, sessionId, until: expires.getTime(), ...age, minted, limits, grants },
    inConsole: session.openedIn === 'console',
  }
  const authority = authorityOf(manager, { source: deps.source, request: '' }, now)
  return {
    username: account.username,
    session_id: sessionId,
    expires: expires.toISOString(),
    limits: null,
    may: permissionsOf(authority),
  }
}
