/** How a CI job exchanges its ID token for a token (contract/oidc.md, A2). */
import type { Operation } from '../operation.ts'
import {
  AuthorizationServerSchema,
  CredentialsTextSchema,
  ExchangeIdTokenRequestSchema,
  ExchangeIdTokenResponseSchema,
  IdempotencyHeadersSchema,
  OAuthErrorSchema,
  OidcAudienceSchema,
} from './schemas.ts'
import { EXCHANGE_PATH } from './token-types.ts'

export const CI_OPERATIONS = {
  exchangeIdToken: {
    method: 'POST',
    path: EXCHANGE_PATH,
    summary: 'Exchanges the ID token of a CI job for a token (RFC 8693)',
    description:
      'The operator must have added the issuer of the ID token and a rule that matches the job. An ID token works once. With `Accept: text/plain` the response is only the value of SNAPCRAFT_STORE_CREDENTIALS. A refusal shows what the ID token contains; the operator finds the rest under the id in `extra.audit`.',
    credential: 'none',
    errors: [
      'invalid-field',
      'limit-exceeded',
      'package-not-found',
      'invalid-grant',
      'invalid-scope',
      'invalid-target',
      'unsupported-grant-type',
    ],
    limited: 429,
    headers: IdempotencyHeadersSchema,
    body: ExchangeIdTokenRequestSchema,
    bodyRequired: true,
    // In this order: a generated client that cannot tell the two apart sends the last one.
    bodyType: ['application/json', 'application/x-www-form-urlencoded'],
    response: ExchangeIdTokenResponseSchema,
    textResponse: CredentialsTextSchema,
    errorBody: OAuthErrorSchema,
  },
  oidcAudience: {
    method: 'GET',
    path: EXCHANGE_PATH,
    summary: 'Returns the audience that ID tokens for this service need',
    credential: 'none',
    errors: [],
    response: OidcAudienceSchema,
    errorBody: OAuthErrorSchema,
  },
  authorizationServer: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Describes where ID tokens are exchanged, for OAuth clients (RFC 8414)',
    credential: 'none',
    errors: [],
    response: AuthorizationServerSchema,
    errorBody: OAuthErrorSchema,
  },
} as const satisfies Record<string, Operation>
