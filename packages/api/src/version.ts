/** The version of the API as a whole; every response carries it as `Snap-Store-Version`. */
export const API_VERSION = 32
