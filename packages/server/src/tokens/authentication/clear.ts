/** Clears a developer token or its root: determines its holder and the effective limits. No I/O. */
import { isPermission } from '@ratafia/api'
import type { UnverifiedSlice, VerifiedCondition } from '@ratafia/macaroon'
import {
  type Attenuations,
  intersectAttenuations,
  type PatternBudget,
  parseExtra,
  UNRESTRICTED,
} from '@ratafia/macaroon/conditions'
import { unauthorized } from '../../errors.ts'
import { type ClearedLogin, type Clearing, clearLogin, readable } from './clear-login.ts'

export interface Cleared extends ClearedLogin {
  /** The intersection of every `extra`. */
  readonly attenuations: Attenuations
  /** The limits it was minted with, before its holder added any. */
  readonly requested: Attenuations
}

interface DeveloperClearing extends Clearing {
  readonly kind: 'token' | 'token-root'
  /** The budget for comparing the channels of this request's macaroons. */
  readonly patterns: PatternBudget
}

/**
 * Clears all conditions. Throws {@link RequestError} as {@link clearLogin} does, and a 401 if no permissions are left.
 */
export function clear(
  slice: UnverifiedSlice,
  conditions: readonly VerifiedCondition[],
  { patterns, ...clearing }: DeveloperClearing,
): Cleared {
  const extras: Attenuations[] = []
  let requested = UNRESTRICTED
  const login = clearLogin(slice, conditions, clearing, {
    name: 'extra',
    take: (argument, { own }) => {
      const extra = parseExtra(argument)
      extras.push(extra)
      if (own) requested = extra
    },
  })
  const limits = readable('extra', () =>
    extras.reduce((all, one) => intersectAttenuations(all, one, patterns), UNRESTRICTED),
  )
  // A holder can write anything there. A string that is not one of our permissions permits nothing.
  const attenuations = limits.permissions
    ? { ...limits, permissions: limits.permissions.filter(isPermission) }
    : limits
  refuseNothing(attenuations)
  return { ...login, attenuations, requested }
}

/** Refuses limits that exclude each other. They permit nothing, which answers could only show as "no limit". */
function refuseNothing({ storeIds, ...others }: Attenuations): void {
  const lists: Readonly<Record<string, readonly string[] | null>> = { ...others, store_ids: storeIds }
  for (const [name, values] of Object.entries(lists)) {
    if (values?.length === 0) {
      throw unauthorized(
        `The macaroon's limits exclude each other: no ${name} are left. Use one with fewer caveats.`,
      )
    }
  }
}
