/** Limits on requests. */

/** The most items a list of attenuations may have. */
export const MAX_LIST_ITEMS = 256
/**
 * The most bytes that all lists of attenuations of a token may have together, in JSON text inside JSON: that is how they
 * travel in a root macaroon, which has to fit into 64 KiB of headers with its discharge, in base64. An item takes its
 * length and 6 more.
 */
export const MAX_ATTENUATION_BYTES = 24 * 1024
/** The longest description, in characters: it travels inside the macaroon's identifier of at most 3 KiB. */
export const MAX_DESCRIPTION_LENGTH = 512
