/** Clears a management token, or its root: who its holder is, and within which limits they administer. No I/O. */
import type { UnverifiedSlice, VerifiedCondition } from '@ratafia/macaroon'
import {
  MANAGE,
  type MintedRoles,
  parseLimits,
  parseMinted,
  type RoleLimits,
} from '../../grants/manage-caveat.ts'
import { type ClearedLogin, type Clearing, clearLogin } from '../../tokens/authentication/clear-login.ts'

export interface ClearedManager extends ClearedLogin {
  /** Undefined for a root. */
  readonly minted: MintedRoles | undefined
  /** What was asked for, and what holders left of it. */
  readonly limits: readonly RoleLimits[]
}

type ManagementKind = 'management-token' | 'management-root'

/** Throws {@link RequestError} as `clearLogin` does: `extra`, the limits of developer tokens, is an unknown caveat here. */
export function clearManager(
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
