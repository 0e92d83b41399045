/**
 * Authenticates the holder of a developer token or its root, with the effective limits. List, revoke and whoami use
 * {@link authenticate}; exchange calls {@link verifyLogin} itself, because it first checks the kind of macaroon.
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

/** Authenticates by the first valid slice: a token, or a root with its discharge. Throws {@link RequestError}. */
export async function authenticate(presented: Presented, deps: RequestDependencies): Promise<Authentication> {
  const { account, cleared } = await firstValidSlice(
    presented,
    { keyring: deps.keyring, taken: DEVELOPER_TOKENS },
    (slice, macaroon) => verifyLogin(slice, macaroon, deps),
  )
  const { sessionId, expires, sessionExpires, attenuations, givenAt } = cleared
  // A password discharge can be refreshed, so its expiry is not when the login expires.
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

/** Verifies a slice of developer macaroons. Throws {@link RequestError} as {@link verifySession} does. */
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
