/**
 * The wire schemas of the logins of publisher tools (contract/publisher-login.md): the dialects of Ubuntu One
 * and of publisher gateways.
 */
import type { Static } from 'typebox'
import { LOGIN_ERROR_CODES, type LoginErrorCode } from '../error-codes.ts'
import { MAX_DESCRIPTION_LENGTH } from '../limits.ts'
import { GATEWAY_PERMISSIONS, PERMISSIONS } from '../permissions.ts'
import { CreateTokenRequestSchema, orNull, restriction } from '../tokens.ts'
import { Type } from '../type.ts'

const exactly = { additionalProperties: false }
const { expires: _, ...limits } = CreateTokenRequestSchema.properties

const AnyPermissionSchema = Type.Enum([...PERMISSIONS, ...GATEWAY_PERMISSIONS], {
  type: 'string',
  title: 'AnyPermission',
})

/** A gateway's package has a type, which does not limit anything: names are unique among all types. */
export const GatewayTokenRequestSchema = Type.Object(
  {
    ...limits,
    permissions: Type.Optional(restriction(AnyPermissionSchema)),
    ttl: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3_155_760_000,
        description: 'The lifetime of the token, in seconds',
      }),
    ),
  },
  { title: 'GatewayTokenRequest', ...exactly },
)
export type GatewayTokenRequest = Static<typeof GatewayTokenRequestSchema>

const MacaroonV1 = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', description })

export const UbuntuOneRootResponseSchema = Type.Object(
  {
    macaroon: MacaroonV1(
      'A binary version 1 macaroon in base64url without padding. Its one third-party caveat is discharged with a password.',
    ),
  },
  { title: 'UbuntuOneRoot', ...exactly },
)

export const VerifyRequestSchema = Type.Object(
  {
    auth_data: Type.Object(
      {
        authorization: Type.String({
          minLength: 1,
          maxLength: 60_000,
          description: 'The value of the `Authorization` header to verify',
        }),
        http_uri: Type.Optional(Type.String()),
        http_method: Type.Optional(Type.String()),
      },
      { title: 'AuthData' },
    ),
  },
  { title: 'VerifyRequest' },
)
export type VerifyRequest = Static<typeof VerifyRequestSchema>

export const VerifyResponseSchema = Type.Object(
  {
    allowed: Type.Boolean(),
    refresh_required: Type.Boolean({
      description: 'The discharge has expired, and nothing else is wrong: answer with `needs_refresh=1`.',
    }),
    account: Type.Optional(
      Type.Object(
        {
          openid: Type.String({ description: 'The account id' }),
          email: Type.String(),
          displayname: Type.String(),
          verified: Type.Boolean({ description: 'Whether the account has an e-mail address' }),
        },
        { title: 'VerifiedAccount', ...exactly },
      ),
    ),
    permissions: Type.Optional(orNull(restriction(AnyPermissionSchema))),
    snap_ids: Type.Optional(orNull(restriction(Type.String()))),
    channels: Type.Optional(orNull(restriction(Type.String()))),
    store_ids: Type.Optional(orNull(restriction(Type.String()))),
    expires: Type.Optional(Type.String({ format: 'date-time' })),
    last_auth: Type.Optional(
      orNull(Type.String({ format: 'date-time' }), 'When the password was given; null without one'),
    ),
    device: Type.Optional(Type.Null()),
    device_refresh_required: Type.Optional(Type.Boolean()),
  },
  {
    title: 'VerifyResponse',
    description: 'Complete if `allowed`; otherwise only the first two fields. `null` means not limited.',
    ...exactly,
  },
)
export type VerifyResponse = Static<typeof VerifyResponseSchema>

const NoKeys = Type.Array(Type.Unknown(), { maxItems: 0 })

export const DeveloperAccountSchema = Type.Object(
  {
    account_id: Type.String(),
    id: Type.String(),
    email: Type.String(),
    username: Type.String(),
    displayname: Type.String(),
    account_keys: NoKeys,
    'account-keys': NoKeys,
    snaps: Type.Record(Type.String(), Type.Object({}), {
      description: 'By series, then by name. Always empty, because this service does not know about snaps',
    }),
  },
  { title: 'DeveloperAccount', ...exactly },
)
export type DeveloperAccount = Static<typeof DeveloperAccountSchema>

const ClientDescription = Type.Optional(
  Type.String({
    maxLength: MAX_DESCRIPTION_LENGTH,
    description: 'The name of the client, which becomes the description of the session',
  }),
)
export const GatewayExchangeRequestSchema = Type.Object(
  { 'client-description': ClientDescription },
  { title: 'GatewayExchangeRequest', ...exactly },
)
export type GatewayExchangeRequest = Static<typeof GatewayExchangeRequestSchema>

export const OfflineExchangeRequestSchema = Type.Object(
  {
    macaroon: Type.String({
      minLength: 1,
      maxLength: 60_000,
      description: 'A token, or a root with its discharge, in any form that the service accepts',
    }),
  },
  { title: 'OfflineExchangeRequest', ...exactly },
)
export type OfflineExchangeRequest = Static<typeof OfflineExchangeRequestSchema>

export const GatewayWhoamiSchema = Type.Object(
  {
    account: Type.Object(
      {
        id: Type.String(),
        username: Type.String(),
        email: Type.String(),
        'display-name': Type.String(),
        validation: Type.Literal('unproven'),
      },
      { title: 'GatewayAccount', ...exactly },
    ),
    channels: orNull(restriction(Type.String())),
    packages: orNull(
      restriction(
        Type.Object(
          {
            type: Type.Literal('charm', {
              description: 'charmcraft fails for a package without a type, and a token has none',
            }),
            id: Type.String(),
          },
          { title: 'GatewayPackage', ...exactly },
        ),
      ),
    ),
    permissions: orNull(restriction(AnyPermissionSchema)),
  },
  { title: 'GatewayWhoami', ...exactly },
)
export type GatewayWhoami = Static<typeof GatewayWhoamiSchema>

export const ExportResponseSchema = Type.Object(
  {
    'session-id': Type.String(),
    root: MacaroonV1('The root of an Ubuntu One login of the same session'),
    discharge: MacaroonV1('Its discharge, unbound; it expires with the session'),
    macaroon: Type.String({ pattern: '^[A-Za-z0-9_-]+$', description: 'A token of the same session' }),
  },
  { title: 'ExportedLogin', ...exactly },
)
export type ExportResponse = Static<typeof ExportResponseSchema>

/** Other keys are ignored. */
export const PasswordDischargeRequestSchema = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 320, description: 'The e-mail address, or the username' }),
    password: Type.String({ minLength: 1 }),
    otp: Type.Optional(
      orNull(Type.String({ maxLength: 64 }), 'A code of the second factor, or a recovery code'),
    ),
    caveat_id: Type.String({ minLength: 1, description: "The root's caveat id, byte for byte" }),
  },
  { title: 'PasswordDischargeRequest' },
)
export type PasswordDischargeRequest = Static<typeof PasswordDischargeRequestSchema>

export const PasswordDischargeResponseSchema = Type.Object(
  {
    discharge_macaroon: MacaroonV1(
      'A binary version 1 macaroon in base64url without padding, not bound to the root',
    ),
  },
  { title: 'PasswordDischarge', ...exactly },
)
export type PasswordDischargeResponse = Static<typeof PasswordDischargeResponseSchema>

export const RefreshRequestSchema = Type.Object(
  {
    discharge_macaroon: Type.String({
      minLength: 1,
      description: 'The unbound discharge, as the login returned it',
    }),
  },
  { title: 'RefreshRequest' },
)
export type RefreshRequest = Static<typeof RefreshRequestSchema>

const LoginErrorItemSchema = Type.Object(
  {
    code: Type.String({ pattern: '^[a-z-]+$', description: 'The code, in lower case: `twofactor-required`' }),
    message: Type.String({ minLength: 1 }),
    extra: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'LoginErrorItem', ...exactly },
)
/** `extra` has only strings and lists of strings: snapd shows a JSON error for anything else. */
export const LoginErrorSchema = Type.Object(
  {
    code: Type.Enum(Object.keys(LOGIN_ERROR_CODES) as LoginErrorCode[], {
      type: 'string',
      title: 'LoginErrorCode',
    }),
    message: Type.String({ minLength: 1 }),
    title: Type.String(),
    extra: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
    error_list: Type.Array(LoginErrorItemSchema, { minItems: 1 }),
    'error-list': Type.Array(LoginErrorItemSchema, { minItems: 1 }),
  },
  { title: 'LoginError', ...exactly },
)
export type LoginError = Static<typeof LoginErrorSchema>
