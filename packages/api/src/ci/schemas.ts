/**
 * The wire schemas of the exchange of an ID token (contract/oidc.md, "The exchange"): RFC 8693, with errors
 * of RFC 6749 and metadata of RFC 8414.
 */
import type { Static, TSchema } from 'typebox'
import { ErrorBodySchema } from '../error-body.ts'
import { MAX_DESCRIPTION_LENGTH } from '../limits.ts'
import { PERMISSIONS } from '../permissions.ts'
import { restriction } from '../tokens.ts'
import { Type } from '../type.ts'
import { TOKEN_EXCHANGE, TOKEN_TYPES } from './token-types.ts'

const exactly = { additionalProperties: false }

const SubjectTokenTypes = Type.Enum([TOKEN_TYPES.idToken, TOKEN_TYPES.jwt], { type: 'string' })
const IssuedTokenTypes = Type.Enum([TOKEN_TYPES.accessToken, TOKEN_TYPES.pair], { type: 'string' })

/** A parameter that can be repeated: in JSON a list, or a string for a list of one. */
const repeated = (description: string) =>
  Type.Union([Type.String(), restriction(Type.String())], { description })
const optionally = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** An empty parameter counts as absent, and unknown ones are ignored (RFC 6749, 3.2). */
export const ExchangeIdTokenRequestSchema = Type.Object(
  {
    grant_type: Type.Literal(TOKEN_EXCHANGE),
    subject_token: Type.String({
      maxLength: 16 * 1024,
      description: 'The ID token of the job: a signed JWT. Each works once.',
    }),
    subject_token_type: SubjectTokenTypes,
    requested_token_type: Type.Optional(IssuedTokenTypes),
    scope: Type.Optional(
      Type.String({
        description: 'Space-separated permissions: all that are granted, or fewer',
      }),
    ),
    rule: Type.Optional(
      Type.String({ description: 'The name of a rule. Required only if several rules match the job.' }),
    ),
    packages: optionally(repeated('Names or snap ids: all that are granted, or fewer')),
    channels: optionally(repeated('All channels that are granted, or fewer')),
    lifetime: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
        description: 'The lifetime in seconds, at most the granted one',
      }),
    ),
    description: Type.Optional(
      Type.String({
        maxLength: MAX_DESCRIPTION_LENGTH,
        description: 'Shown with the session, after the names of the rule and the job',
      }),
    ),
    audience: optionally(repeated('Optional; the base URL of this service')),
    resource: optionally(repeated('Optional; the base URL of this service')),
  },
  { title: 'ExchangeIdTokenRequest' },
)

/** A job that did not get the answer can present its ID token again, with the same key and within two minutes. */
export const IdempotencyHeadersSchema = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{16,64}$',
      description:
        'A string that the job chooses. With the same string, the same ID token works again for two minutes, for more tokens of the same session.',
    }),
  ),
})

const Credentials = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', contentEncoding: 'base64', description })

export const ExchangeIdTokenResponseSchema = Type.Object(
  {
    access_token: Type.String({
      pattern: '^[A-Za-z0-9_=, -]+$',
      description: 'The text after `Bearer ` or `Macaroon ` in the header `Authorization`',
    }),
    issued_token_type: IssuedTokenTypes,
    token_type: Type.Literal('Bearer', {
      description:
        'OAuth libraries know no other type. `Authorization: Bearer TOKEN` and `Macaroon TOKEN` mean the same here.',
    }),
    expires_in: Type.Integer({ minimum: 0, description: 'The lifetime in seconds' }),
    scope: Type.String({ description: 'The space-separated permissions of the token' }),
    session_id: Type.String({ description: 'The session, for `revokeToken` when the job ends' }),
    rule: Type.String({ description: 'The name of the rule that grants the token' }),
    credentials: Credentials('The value of SNAPCRAFT_STORE_CREDENTIALS'),
  },
  { title: 'ExchangedIdToken', ...exactly },
)
export type ExchangeIdTokenResponse = Static<typeof ExchangeIdTokenResponseSchema>

/** The answer to `Accept: text/plain`: only the value of the variable. */
export const CredentialsTextSchema = Credentials('Only the `credentials` of the JSON response')

export const OidcAudienceSchema = Type.Object(
  { audience: Type.String({ description: 'The required `aud` of an ID token for this service' }) },
  { title: 'OidcAudience', ...exactly },
)
export type OidcAudience = Static<typeof OidcAudienceSchema>

export const AuthorizationServerSchema = Type.Object(
  {
    issuer: Type.String({ description: 'The base URL of this service' }),
    token_endpoint: Type.String(),
    token_endpoint_auth_methods_supported: Type.Array(Type.Literal('none')),
    grant_types_supported: Type.Array(Type.Literal(TOKEN_EXCHANGE)),
    response_types_supported: Type.Array(Type.String(), { maxItems: 0 }),
    scopes_supported: Type.Array(Type.Enum([...PERMISSIONS], { type: 'string', title: 'Permission' })),
  },
  { title: 'AuthorizationServer', ...exactly },
)
export type AuthorizationServer = Static<typeof AuthorizationServerSchema>

/** The codes of RFC 6749 (5.2) and its extensions. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unsupported_grant_type',
  'slow_down',
  'temporarily_unavailable',
  'server_error',
] as const
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number]

const { title: _, ...errorLists } = ErrorBodySchema.properties

/** The errors of every operation, and the fields that OAuth clients expect. */
export const OAuthErrorSchema = Type.Object(
  {
    error: Type.Enum([...OAUTH_ERRORS], { type: 'string', title: 'OAuthErrorCode' }),
    error_description: Type.String({
      pattern: '^[ !#-[\\]-~]+$',
      description: 'The message, in the characters that RFC 6749 allows',
    }),
    ...errorLists,
  },
  { title: 'OAuthError', ...exactly },
)
export type OAuthError = Static<typeof OAuthErrorSchema>
