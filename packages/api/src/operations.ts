/** The operations of the API. `GET /`, the routes, the OpenAPI document and the tests all come from this table. */
import { CI_OPERATIONS } from './ci/operations.ts'
import {
  AssertionQuerySchema,
  AssertionStreamSchema,
  DeviceServiceHeadersSchema,
  DeviceSessionResponseSchema,
  DeviceSessionSchema,
  NonceResponseSchema,
  OpenSessionRequestSchema,
  RegistrationHeadersSchema,
  RequestIdResponseSchema,
} from './devices.ts'
import { type Operation, TOKEN_REFUSALS } from './operation.ts'
import { PUBLISHER_OPERATIONS } from './publishers/operations.ts'
import {
  CreateTokenRequestSchema,
  EmptyObjectSchema,
  ListTokensQuerySchema,
  RevokeTokenRequestSchema,
  RootMacaroonResponseSchema,
  TokenListResponseSchema,
  TokenResponseSchema,
  WhoamiResponseSchema,
} from './tokens.ts'

const ASSERTIONS = 'application/x.ubuntu.assertion'

const FORWARDED =
  'If `X-Snap-Device-Service-URL` names another device service that the operator allows, the request is forwarded there, and its response is returned unchanged.'

export const OPERATIONS = {
  createToken: {
    method: 'POST',
    path: '/api/v2/tokens',
    since: 26,
    summary: 'Creates a root macaroon, to be discharged by the identity service and then exchanged',
    description:
      'The caller has not proved who they are yet, so nothing is stored. An absent body counts as `{}`: a token without limits.',
    credential: 'none',
    errors: ['invalid-field', 'package-not-found', 'limit-exceeded'],
    limited: 429,
    body: CreateTokenRequestSchema,
    response: RootMacaroonResponseSchema,
  },
  exchangeToken: {
    method: 'POST',
    path: '/api/v2/tokens/exchange',
    since: 30,
    summary: 'Exchanges a root macaroon and its discharge for a token (header `Macaroons`)',
    description:
      'This opens a session, which can be listed and revoked. The same person can exchange the same root again for another token of the same session.',
    credential: 'root-and-discharge',
    errors: ['limit-exceeded', ...TOKEN_REFUSALS],
    limited: 429,
    body: EmptyObjectSchema,
    response: TokenResponseSchema,
  },
  listTokens: {
    method: 'GET',
    path: '/api/v2/tokens',
    since: 31,
    summary: 'Lists the sessions of the account',
    description: 'Newest first, at most 10,000; there is no paging. One record is one login.',
    credential: 'token',
    errors: ['invalid-field', 'limit-exceeded', ...TOKEN_REFUSALS],
    limited: 429,
    query: ListTokensQuerySchema,
    response: TokenListResponseSchema,
  },
  revokeToken: {
    method: 'POST',
    path: '/api/v2/tokens/revoke',
    since: 32,
    summary: 'Revokes the session with this id',
    description:
      'Within a second no node accepts its tokens. If the session is revoked already, it keeps its first revocation: the response is the same record.',
    credential: 'token',
    errors: ['invalid-field', 'resource-not-found', 'limit-exceeded', ...TOKEN_REFUSALS],
    limited: 429,
    body: RevokeTokenRequestSchema,
    bodyRequired: true,
    response: TokenListResponseSchema,
  },
  whoami: {
    method: 'GET',
    path: '/api/v2/tokens/whoami',
    since: 27,
    summary: 'Returns the account and the limits of the token that authenticated the request',
    description: 'The limits are what all limits of the token have in common; `null` means not limited.',
    credential: 'token',
    errors: ['limit-exceeded', ...TOKEN_REFUSALS],
    limited: 429,
    response: WhoamiResponseSchema,
  },
  ...CI_OPERATIONS,
  ...PUBLISHER_OPERATIONS,
  nonces: {
    method: 'POST',
    path: '/api/v1/snaps/auth/nonces',
    since: 1,
    summary: 'Returns a nonce for a device-session-request: valid once, for 600 seconds',
    credential: 'none',
    errors: [],
    limited: 503,
    response: NonceResponseSchema,
  },
  openSession: {
    method: 'POST',
    path: '/api/v1/snaps/auth/sessions',
    since: 1,
    summary: 'Opens a device session, or refreshes one (header `X-Device-Authorization`)',
    credential: 'previous-session',
    errors: [
      'invalid-field',
      'invalid-nonce',
      'invalid-assertion',
      'device-refused',
      'invalid-device-session',
    ],
    limited: 503,
    body: OpenSessionRequestSchema,
    bodyRequired: true,
    response: DeviceSessionResponseSchema,
  },
  requestId: {
    method: 'POST',
    path: '/api/v1/snaps/auth/request-id',
    since: 1,
    summary: 'Returns a request-id for a serial-request: valid once, for 600 seconds',
    description: FORWARDED,
    credential: 'none',
    errors: ['device-service-not-allowed'],
    limited: 503,
    headers: DeviceServiceHeadersSchema,
    response: RequestIdResponseSchema,
  },
  registerDevice: {
    method: 'POST',
    path: '/api/v1/snaps/auth/devices',
    since: 1,
    summary:
      'Registers a device: returns its serial assertion for its serial-request, model and, for a remodel, the original serial',
    description: FORWARDED,
    credential: 'api-key',
    errors: [
      'invalid-nonce',
      'invalid-assertion',
      'registration-refused',
      'device-service-not-allowed',
      'invalid-api-key',
    ],
    limited: 503,
    headers: RegistrationHeadersSchema,
    body: AssertionStreamSchema,
    bodyRequired: true,
    bodyType: ASSERTIONS,
    response: AssertionStreamSchema,
    responseType: ASSERTIONS,
    accepted: 'The operator must approve the device first: send the same request again later',
  },
  deviceSession: {
    method: 'GET',
    path: '/device-session',
    summary: 'Returns the device of the session in the request, for the store behind this service',
    description:
      'The response is the same for HEAD, POST, PUT, PATCH, DELETE and OPTIONS, so a proxy can use the method of the request that it asks about. The session can be in `X-Device-Authorization` or `Snap-Device-Authorization`.',
    credential: 'device-session',
    errors: ['device-session-required'],
    response: DeviceSessionSchema,
  },
  assertion: {
    method: 'GET',
    path: '/v2/assertions/:type/*',
    summary: 'Returns an account, account-key, model or serial assertion of this service, by its primary key',
    credential: 'none',
    errors: ['invalid-field', 'assertion-not-found'],
    limited: 503,
    query: AssertionQuerySchema,
    response: AssertionStreamSchema,
    responseType: ASSERTIONS,
  },
} as const satisfies Record<string, Operation>

/** The types of assertions that `assertion` returns, with the headers of their primary keys, in order. */
export const ASSERTION_KEYS = {
  account: ['account-id'],
  'account-key': ['public-key-sha3-384'],
  model: ['series', 'brand-id', 'model'],
  serial: ['brand-id', 'model', 'serial'],
} as const
