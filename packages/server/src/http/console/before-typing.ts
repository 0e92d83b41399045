/**
 * What refuses a form before it is shown: whoever may not send it must not fill it first. This only spares them the
 * work. The operation checks again what it is called with, and it alone decides (contract/administration.md, A4 and B10).
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

/** For a form about a record of this brand. Throws `permission-denied`. */
export const refuseBeforeTyping = (
  authority: Authority,
  permission: ManagementPermission,
  brandId: string,
): void => requireForBrand(authority, permission, brandId)

/** For a form about what belongs to no brand. Throws `permission-denied`. */
export const refuseBeforeTypingForAll = (authority: Authority, permission: ManagementPermission): void =>
  requireForAll(authority, permission)

/** For a form about any brand that they may choose: those. Throws `permission-denied` if there are none. */
export const brandsBeforeTyping = (authority: Authority, permission: ManagementPermission): BrandScope =>
  brandsFor(authority, permission)

/** For a form that takes a person who signed in a short while ago. Throws `recent-sign-in-required`, `person-required`. */
export const askToSignInBeforeTyping = (authority: Authority, now: Date): void =>
  requireRecentPerson(authority, now)
