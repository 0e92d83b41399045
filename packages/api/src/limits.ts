/** Limits on requests. */

/** The most items that a list of attenuations can have. */
export const MAX_LIST_ITEMS = 256
/**
 * The most bytes of all lists of attenuations of a token together, as JSON text inside JSON. A root macaroon
 * carries them in this form, and must fit into 64 KiB of headers with its discharge, in base64. An item uses
 * its length and 6 more.
 */
export const MAX_ATTENUATION_BYTES = 24 * 1024
/** The longest description, in characters: it is inside the macaroon's identifier of at most 3 KiB. */
export const MAX_DESCRIPTION_LENGTH = 512
