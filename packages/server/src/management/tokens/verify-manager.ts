/** Verifies a management token, or its root with a discharge. */
import type { UnverifiedSlice, VerifiedCondition } from '@ratafia/macaroon'
import type { SignIn } from '../../authority.ts'
import {
  MANAGE,
  type MintedRoles,
  parseLimits,
  parseMinted,
  type RoleLimits,
  textOfAsked,
} from '../../grants/manage-caveat.ts'
import { parseSignedIn, signedInText } from '../../third-party/signed-in.ts'
import { type ClearedLogin, type Clearing, clearLogin } from '../../tokens/authentication/clear-login.ts'
import {
  firstValidSlice,
  type Presented,
  type Taken,
  type UnverifiedMacaroon,
} from '../../tokens/authentication/first-valid-slice.ts'
import { type VerifiedSession, verifySession } from '../../tokens/authentication/verify-session.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { agentSince, type LoginAge } from '../grants/reaches.ts'
import type { Manager } from './manager.ts'

type ManagementKind = 'management-token' | 'management-root'

const ADVICE = 'The management API requires a management token: log in with `ratafia login`.'

const MANAGEMENT_TOKENS: Taken<'management-token'> = { kinds: ['management-token'], advice: ADVICE }
export const MANAGEMENT_ROOTS: Taken<'management-root'> = {
  kinds: ['management-root'],
  advice: 'An exchange requires the root of a management token with its discharge.',
}

export interface VerifiedManager extends VerifiedSession<ClearedManager>, LoginAge {}

export interface PresentedHere extends ManagementDependencies {
  readonly source: string
  readonly userAgent?: string | undefined
  /** Where a session is opened, if it is opened now. Default: in the API. */
  readonly openedIn?: 'console'
}

/** Throws {@link RequestError} as `verifySession` does, and `Unavailable`. */
export async function verifyManager(
  slice: UnverifiedSlice,
  macaroon: UnverifiedMacaroon<ManagementKind>,
  deps: PresentedHere,
): Promise<VerifiedManager> {
  const { kind } = macaroon
  const verified = await verifySession(
    slice,
    macaroon,
    {
      sessions: 'management',
      clear: (all, conditions, clearing) => clearManager(all, conditions, { ...clearing, kind }),
      facts: async (cleared) => ({
        origin: signedInText(await believed(cleared, deps)),
        limits: textOfAsked(cleared.limits),
        userAgent: deps.userAgent,
        openedIn: deps.openedIn,
      }),
    },
    deps,
  )
  const { session, account } = verified
  const signIn = parseSignedIn(session.origin ?? '')
  return { ...verified, signIn, since: session.since, agentSince: await agentSince(signIn, account.id, deps) }
}

/**
 * Believes only our own identity service, or an external one that announces it declares this: a holder can
 * append `declared` to a discharge of any other (B9).
 */
async function believed(
  { signedIn }: ClearedManager,
  { identity, thirdParty }: Pick<ManagementDependencies, 'identity' | 'thirdParty'>,
): Promise<SignIn> {
  const isBelieved = identity.bundled || (await thirdParty()).declaresSignIn
  return isBelieved ? parseSignedIn(signedIn) : { kind: 'unknown' }
}

interface ClearedManager extends ClearedLogin {
  /** The roles that were minted; undefined for a root. */
  readonly minted: MintedRoles | undefined
  /** The requested limits, and those that holders appended. */
  readonly limits: readonly RoleLimits[]
}

/**
 * Returns the holder and the limits within which they administer. No I/O. Throws {@link RequestError} as
 * `clearLogin` does: `extra`, the limits of developer tokens, is an unknown caveat here.
 */
function clearManager(
  slice: UnverifiedSlice,
  conditions: readonly VerifiedCondition[],
  clearing: Clearing & { readonly kind: ManagementKind },
): ClearedManager {
  let minted: MintedRoles | undefined
  const limits: RoleLimits[] = []
  const login = clearLogin(slice, conditions, clearing, {
    name: MANAGE,
    take: (argument, { own }) => {
      if (own && clearing.kind === 'management-token') minted = parseMinted(argument)
      else limits.push(parseLimits(argument))
    },
  })
  if (clearing.kind === 'management-token' && !minted) {
    throw new Error('a management token lacks the caveat it is minted with')
  }
  return { ...login, minted, limits }
}

/** Accepts the first valid management token. Throws a 401, which names any other kind of macaroon. */
export function authenticateManager(
  presented: Presented,
  deps: ManagementDependencies & { readonly source: string },
): Promise<Manager> {
  const taking = { keyring: deps.keyring, taken: MANAGEMENT_TOKENS }
  return firstValidSlice(presented, taking, async (slice, macaroon) => {
    const { account, session, cleared, ...age } = await verifyManager(slice, macaroon, deps)
    const { sessionId, expires, minted, limits } = cleared
    if (!minted) throw new TypeError('a management token without its grants was cleared')
    return {
      ...{ account, sessionId, until: expires.getTime(), ...age, minted, limits },
      inConsole: session.openedIn === 'console',
      grants: await deps.grants.heldBy(account.id, deps.clock()),
    }
  })
}
