/** How a job of a CI system gets a token for its ID token (contract/oidc.md, A2). */
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
    summary: 'A token for the ID token of a CI job (RFC 8693)',
    description:
      'The issuer of the ID token and a rule for the job are there already: the operator adds both. The ID token is good once. With `Accept: text/plain` the answer is what SNAPCRAFT_STORE_CREDENTIALS takes, and nothing else. A refusal says what the ID token says; the operator finds the rest under the id in `extra.audit`.',
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
    // In this order: a generated client that takes both for one sends the last.
    bodyType: ['application/json', 'application/x-www-form-urlencoded'],
    response: ExchangeIdTokenResponseSchema,
    textResponse: CredentialsTextSchema,
    errorBody: OAuthErrorSchema,
  },
  oidcAudience: {
    method: 'GET',
    path: EXCHANGE_PATH,
    summary: 'The audience that ID tokens for this service need',
    credential: 'none',
    errors: [],
    response: OidcAudienceSchema,
    errorBody: OAuthErrorSchema,
  },
  authorizationServer: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Where ID tokens are exchanged, for clients of OAuth (RFC 8414)',
    credential: 'none',
    errors: [],
    response: AuthorizationServerSchema,
    errorBody: OAuthErrorSchema,
  },
} as const satisfies Record<string, Operation>
