/**
 * Who is asking, and within which limits, of a developer token or its root. List, revoke and whoami use
 * {@link authenticate}; exchange calls {@link verifyLogin} itself, to look at the macaroon before.
 */
import type { UnverifiedSlice } from '@ratafia/macaroon'
import { textOfLimits } from '../../third-party/recorded-limits.ts'
import type { RequestDependencies } from '../dependencies.ts'
import type { Authentication } from './authentication.ts'
import { type Cleared, clear } from './clear.ts'
import {
  DEVELOPER_TOKENS,
  firstValidSlice,
  type Presented,
  type UnverifiedMacaroon,
} from './first-valid-slice.ts'
import { type VerifiedSession, verifySession } from './verify-session.ts'

/** A token, or a root with its discharge: the first valid slice counts. Throws {@link RequestError}. */
export async function authenticate(presented: Presented, deps: RequestDependencies): Promise<Authentication> {
  const { account, cleared } = await firstValidSlice(
    presented,
    { keyring: deps.keyring, taken: DEVELOPER_TOKENS },
    (slice, macaroon) => verifyLogin(slice, macaroon, deps),
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

export type VerifiedLogin = Pick<VerifiedSession<Cleared>, 'account' | 'cleared'>

/** Throws {@link RequestError} as {@link verifySession} does. */
export function verifyLogin(
  slice: UnverifiedSlice,
  macaroon: UnverifiedMacaroon,
  deps: RequestDependencies,
): Promise<VerifiedSession<Cleared>> {
  const { kind } = macaroon
  return verifySession(
    slice,
    macaroon,
    {
      sessions: 'developer',
      clear: (all, conditions, clearing) =>
        clear(all, conditions, { ...clearing, kind, patterns: deps.patterns }),
      facts: async ({ requested }) => ({ limits: textOfLimits(requested) }),
    },
    deps,
  )
}
