/**
 * Refuses a form before it is shown, so that users do not fill in a form that they may not send. This only saves them
 * work: the operation checks again when it is called, and it alone decides (contract/administration.md, A4 and B10).
 */
import type { ManagementPermission } from '@ratafia/api'
import {
  type Authority,
  type BrandScope,
  brandsFor,
  requireForAll,
  requireForBrand,
  requireRecentPerson,
} from '../../authority.ts'

/** Refuses users who cannot send a form about a record of this brand. Throws `permission-denied`. */
export const refuseBeforeTyping = (
  authority: Authority,
  permission: ManagementPermission,
  brandId: string,
): void => requireForBrand(authority, permission, brandId)

/** Refuses users who cannot send a form about what does not belong to a brand. Throws `permission-denied`. */
export const refuseBeforeTypingForAll = (authority: Authority, permission: ManagementPermission): void =>
  requireForAll(authority, permission)

/** Returns the brands that the user can choose in a form. Throws `permission-denied` if there are none. */
export const brandsBeforeTyping = (authority: Authority, permission: ManagementPermission): BrandScope =>
  brandsFor(authority, permission)

/**
 * Refuses users who cannot send a form that requires a person who signed in recently. Throws
 * `recent-sign-in-required`, `person-required`.
 */
export const askToSignInBeforeTyping = (authority: Authority, now: Date): void =>
  requireRecentPerson(authority, now)
