/**
 * What a token is restricted to, for each of four dimensions. Null means no restriction; an empty list permits nothing.
 */
export interface Attenuations {
  /** Channels as fnmatch patterns, such as `edge` or `2.*\/stable`. In `extra`: `channel`. */
  readonly channels: readonly string[] | null
  /** Package ids. In `extra`: `package_id`. */
  readonly packages: readonly string[] | null
  /** Permissions, such as `package_access`. In `extra`: `acl`. */
  readonly permissions: readonly string[] | null
  /** Store ids. In `extra`: `store_ids`. */
  readonly storeIds: readonly string[] | null
}

/** No restriction in any dimension. */
export const UNRESTRICTED: Attenuations = Object.freeze({
  channels: null,
  packages: null,
  permissions: null,
  storeIds: null,
})

/** How long a list and an item of it may be, in `extra`. An item of 128 characters is longer than any real one. */
export const ATTENUATION_LIMITS = Object.freeze({ items: 256, characters: 128 })
