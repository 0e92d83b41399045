/** Limits on requests. */

/** The most items a list of attenuations may have; a longer one would not fit a caveat of 4 KiB anyway. */
export const MAX_LIST_ITEMS = 256
/** The longest description, in bytes of UTF-8: it travels inside the macaroon's identifier of at most 1 KiB. */
export const MAX_DESCRIPTION_BYTES = 512
