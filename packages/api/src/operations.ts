/** The operations of the API: what `GET /` describes, what routes are made from, what the tests validate. */
import type { TSchema } from 'typebox'
import {
  CreateTokenRequestSchema,
  EmptyObjectSchema,
  ListTokensQuerySchema,
  MacaroonResponseSchema,
  RevokeTokenRequestSchema,
  TokenListResponseSchema,
  WhoamiResponseSchema,
} from './tokens.ts'

/** The version of the API as a whole; every response carries it as `Snap-Store-Version`. */
export const API_VERSION = 32

export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The version of the API that introduced it. */
  readonly since: number
  readonly summary: string
  /** What has to be presented: nothing, a root macaroon with its discharge, or a token (for which those two also do). */
  readonly credential: 'none' | 'root-and-discharge' | 'token'
  /** The statuses it answers with when it refuses; all with the error body. */
  readonly refusals: readonly number[]
  readonly query?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
}

export const OPERATIONS = {
  createToken: {
    method: 'POST',
    path: '/api/v2/tokens',
    since: 26,
    summary: 'A root macaroon, to be discharged by the identity service and then exchanged',
    credential: 'none',
    refusals: [400, 413, 503],
    body: CreateTokenRequestSchema,
    response: MacaroonResponseSchema,
  },
  exchangeToken: {
    method: 'POST',
    path: '/api/v2/tokens/exchange',
    since: 30,
    summary: 'An authentication macaroon for a root macaroon and its discharge (header `Macaroons`)',
    credential: 'root-and-discharge',
    refusals: [400, 401, 413, 503],
    body: EmptyObjectSchema,
    response: MacaroonResponseSchema,
  },
  listTokens: {
    method: 'GET',
    path: '/api/v2/tokens',
    since: 31,
    summary: 'The token macaroons of the account',
    credential: 'token',
    refusals: [400, 401, 503],
    query: ListTokensQuerySchema,
    response: TokenListResponseSchema,
  },
  revokeToken: {
    method: 'POST',
    path: '/api/v2/tokens/revoke',
    since: 32,
    summary: 'Ends the token session of the given id',
    credential: 'token',
    refusals: [400, 401, 413, 503],
    body: RevokeTokenRequestSchema,
    response: TokenListResponseSchema,
  },
  whoami: {
    method: 'GET',
    path: '/api/v2/tokens/whoami',
    since: 27,
    summary: 'The account and the attenuations of the token that authenticated the request',
    credential: 'token',
    refusals: [400, 401, 503],
    response: WhoamiResponseSchema,
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof OPERATIONS
