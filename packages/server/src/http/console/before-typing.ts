/**
 * Refuses a form before it is shown, so that users do not fill in a form that they may not send. This only saves them
 * work: the operation checks again when it is called, and it alone decides (contract/administration.md, A4 and B10).
 */
export {
  /** Returns the brands that the user can choose in a form. Throws `permission-denied` if there are none. */
  brandsFor as brandsBeforeTyping,
  /** Refuses users who cannot send a form about what does not belong to a brand. Throws `permission-denied`. */
  requireForAll as refuseBeforeTypingForAll,
  /** Refuses users who cannot send a form about a record of this brand. Throws `permission-denied`. */
  requireForBrand as refuseBeforeTyping,
  /** Refuses users unless they are persons who signed in recently. Throws `recent-sign-in-required`, `person-required`. */
  requireRecentPerson as askToSignInBeforeTyping,
} from '../../authority.ts'
