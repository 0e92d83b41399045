/** The names that the exchange of an ID token uses (RFC 8693). */

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

export const TOKEN_TYPES = {
  idToken: 'urn:ietf:params:oauth:token-type:id_token',
  jwt: 'urn:ietf:params:oauth:token-type:jwt',
  accessToken: 'urn:ietf:params:oauth:token-type:access_token',
  /** A root macaroon and its discharge, which snapcraft accepts by default. */
  pair: 'urn:ratafia:token-type:macaroon-pair',
} as const

/** The path below the base URL. */
export const EXCHANGE_PATH = '/api/v2/tokens/oidc'
