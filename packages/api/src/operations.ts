/** The operations of the API. `GET /`, the routes and the tests are made from this table. */
import type { TSchema } from 'typebox'
import {
  AssertionQuerySchema,
  AssertionStreamSchema,
  DeviceSessionSchema,
  NonceResponseSchema,
  OpenSessionRequestSchema,
  RequestIdResponseSchema,
} from './devices.ts'
import {
  CreateTokenRequestSchema,
  EmptyObjectSchema,
  ListTokensQuerySchema,
  MacaroonResponseSchema,
  RevokeTokenRequestSchema,
  TokenListResponseSchema,
  WhoamiResponseSchema,
} from './tokens.ts'

export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The version of the API that introduced it. */
  readonly since: number
  readonly summary: string
  /**
   * What to present: nothing, a root macaroon with its discharge, a token (or those two instead), a device session, the
   * previous device session at a refresh, or an API key if the model has one.
   */
  readonly credential:
    | 'none'
    | 'root-and-discharge'
    | 'token'
    | 'device-session'
    | 'previous-session'
    | 'api-key'
  /** The statuses of its refusals; all have the error body. */
  readonly refusals: readonly number[]
  readonly query?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
  /** Media types of body and response; `application/json` if absent. */
  readonly bodyType?: string
  readonly responseType?: string
  /** When it answers 202, which has an empty body. */
  readonly accepted?: string
}

const ASSERTIONS = 'application/x.ubuntu.assertion'

export const OPERATIONS = {
  createToken: {
    method: 'POST',
    path: '/api/v2/tokens',
    since: 26,
    summary: 'A root macaroon, to be discharged by the identity service and then exchanged',
    credential: 'none',
    refusals: [400, 413, 429, 503],
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
    summary: 'The account and the restrictions of the token that authenticated the request',
    credential: 'token',
    refusals: [400, 401, 503],
    response: WhoamiResponseSchema,
  },
  nonces: {
    method: 'POST',
    path: '/api/v1/snaps/auth/nonces',
    since: 1,
    summary: 'A nonce for a device-session-request: good once, for 600 seconds',
    credential: 'none',
    refusals: [503],
    response: NonceResponseSchema,
  },
  openSession: {
    method: 'POST',
    path: '/api/v1/snaps/auth/sessions',
    since: 1,
    summary: 'A device session, new or refreshed (header `X-Device-Authorization`)',
    credential: 'previous-session',
    refusals: [400, 401, 413, 503],
    body: OpenSessionRequestSchema,
    response: MacaroonResponseSchema,
  },
  requestId: {
    method: 'POST',
    path: '/api/v1/snaps/auth/request-id',
    since: 1,
    summary: 'A request-id for a serial-request: good once, for 600 seconds',
    credential: 'none',
    refusals: [400, 503],
    response: RequestIdResponseSchema,
  },
  registerDevice: {
    method: 'POST',
    path: '/api/v1/snaps/auth/devices',
    since: 1,
    summary:
      'Registers a device: its serial assertion for serial-request, model and, at a remodel, the original serial',
    credential: 'api-key',
    refusals: [400, 401, 413, 503],
    body: AssertionStreamSchema,
    bodyType: ASSERTIONS,
    response: AssertionStreamSchema,
    responseType: ASSERTIONS,
    accepted: 'The operator must approve the device first: send the same request again later',
  },
  deviceSession: {
    method: 'GET',
    path: '/device-session',
    since: 32,
    summary: 'The device that the session of the request speaks for: for the store behind this service',
    credential: 'device-session',
    refusals: [401, 503],
    response: DeviceSessionSchema,
  },
  assertion: {
    method: 'GET',
    path: '/v2/assertions/:type/*',
    since: 32,
    summary: 'An account, account-key, model or serial assertion of this service, by its primary key',
    credential: 'none',
    refusals: [400, 404, 503],
    query: AssertionQuerySchema,
    response: AssertionStreamSchema,
    responseType: ASSERTIONS,
  },
} as const satisfies Record<string, Operation>
