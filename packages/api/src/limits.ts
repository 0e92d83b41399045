/** Limits on requests. */

/** The maximum number of items in a list of attenuations. */
export const MAX_LIST_ITEMS = 256
/**
 * The maximum size of all attenuation lists of a token together, in bytes of JSON that is embedded in JSON.
 * That is how a root macaroon carries them, and with its discharge it must fit into 64 KiB of headers, in
 * base64. Each item needs 6 bytes more than its length.
 */
export const MAX_ATTENUATION_BYTES = 24 * 1024
/** The longest description, in characters: it is inside the macaroon's identifier of at most 3 KiB. */
export const MAX_DESCRIPTION_LENGTH = 512
