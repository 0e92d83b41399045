import { matchesPattern } from './pattern-includes.ts'

/** A token's restrictions in four dimensions. Null means no restriction; an empty list permits nothing. */
export interface Attenuations {
  /** Patterns of channels for fnmatch, such as `edge` or `2.*\/stable`; `channel` in `extra`. */
  readonly channels: readonly string[] | null
  /** Package ids; `package_id` in `extra`. */
  readonly packages: readonly string[] | null
  /** Permissions, such as `package_access`; `acl` in `extra`. */
  readonly permissions: readonly string[] | null
  /** Store ids; `store_ids` in `extra`. */
  readonly storeIds: readonly string[] | null
}

/** No restriction in any dimension. */
export const UNRESTRICTED: Attenuations = Object.freeze({
  channels: null,
  packages: null,
  permissions: null,
  storeIds: null,
})

/** The maximum number of items in a list of `extra`, and of characters in an item. No real item has 128 characters. */
export const ATTENUATION_LIMITS = Object.freeze({ items: 256, characters: 128 })

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
