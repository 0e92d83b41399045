import type { Attenuations } from './attenuations.ts'
import { matchesPattern } from './pattern-includes.ts'

/** An intended use of a token. Omitted fields are not checked. */
export interface Use {
  readonly channel?: string
  readonly packageId?: string
  readonly permission?: string
  readonly storeId?: string
}

/** Whether attenuations permit a use. Matches the channel against the patterns, and compares everything else. */
export function permits(attenuations: Attenuations, use: Use): boolean {
  const { channels, packages, permissions, storeIds } = attenuations
  return (
    allows(channels, use.channel, (pattern, channel) => matchesPattern(pattern, channel)) &&
    allows(packages, use.packageId, Object.is) &&
    allows(permissions, use.permission, Object.is) &&
    allows(storeIds, use.storeId, Object.is)
  )
}

function allows(
  list: readonly string[] | null,
  wanted: string | undefined,
  fits: (item: string, wanted: string) => boolean,
): boolean {
  return list === null || wanted === undefined || list.some((item) => fits(item, wanted))
}
