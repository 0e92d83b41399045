/** The wire schemas of `/api/v2/tokens` (specification, "Endpoints"). */
import type { Static, TSchema } from 'typebox'
import { MAX_ATTENUATION_BYTES, MAX_DESCRIPTION_LENGTH, MAX_LIST_ITEMS } from './limits.ts'
import { PRINTABLE } from './patterns.ts'
import { GATEWAY_PERMISSIONS, PERMISSIONS } from './permissions.ts'
import { Type } from './type.ts'

export const restriction = <T extends TSchema>(items: T) =>
  Type.Array(items, { minItems: 1, maxItems: MAX_LIST_ITEMS, uniqueItems: true })
export const orNull = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const PermissionSchema = Type.Enum([...PERMISSIONS], { type: 'string', title: 'Permission' })
// Names in the store are ASCII; unprintable characters would need escapes wherever they are shown.
const NameSchema = Type.String({ pattern: PRINTABLE.pattern })
const ChannelSchema = Type.String({
  pattern: PRINTABLE.pattern,
  description: 'A channel; the wildcards of fnmatch are allowed',
})
/** Allows unknown keys: every real client sends `series`. */
const PackageSchema = Type.Object(
  { name: Type.Optional(NameSchema), snap_id: Type.Optional(NameSchema) },
  { title: 'PackageReference', anyOf: [{ required: ['name'] }, { required: ['snap_id'] }] },
)

const exactly = { additionalProperties: false }
export const EmptyObjectSchema = Type.Object({}, exactly)

export const CreateTokenRequestSchema = Type.Object(
  {
    channels: Type.Optional(restriction(ChannelSchema)),
    description: Type.Optional(
      Type.String({
        maxLength: MAX_DESCRIPTION_LENGTH,
        description: 'Any text; line breaks and tabs are the only control characters allowed',
      }),
    ),
    expires: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'RFC 3339, in UTC: `Z`, `+00:00`, `-00:00` or no zone. Seconds are optional, and `23:59:60` is the second after `23:59:59`.',
      }),
    ),
    packages: Type.Optional(restriction(PackageSchema)),
    permissions: Type.Optional(restriction(PermissionSchema)),
    store_ids: Type.Optional(restriction(NameSchema)),
  },
  {
    title: 'CreateTokenRequest',
    description: `All lists together have at most ${MAX_ATTENUATION_BYTES} bytes, where an item counts its length and 6 more, a quote or backslash in it 4, and the rest 76.`,
    ...exactly,
  },
)
export type CreateTokenRequest = Static<typeof CreateTokenRequestSchema>

export const RootMacaroonResponseSchema = Type.Object(
  {
    macaroon: Type.String({
      contentMediaType: 'application/json',
      description:
        'JSON text of one bare version 2 macaroon. Its third-party caveat, the one with an `l`, is discharged at that address.',
    }),
  },
  { title: 'RootMacaroon', ...exactly },
)

export const TokenResponseSchema = Type.Object(
  {
    macaroon: Type.String({
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The token: a binary version 2 macaroon in base64url without padding',
    }),
  },
  { title: 'Token', ...exactly },
)

/** A root macaroon, a token or a device session. */
export const MacaroonResponseSchema = Type.Object({ macaroon: Type.String() }, exactly)
export type MacaroonResponse = Static<typeof MacaroonResponseSchema>

export const ListTokensQuerySchema = Type.Object(
  {
    'include-inactive': Type.Optional(
      Type.Enum(['true', 'false', '1', '0', 'yes', 'no', 'on', 'off'], {
        description: 'Also list revoked and expired sessions. Not case-sensitive: `True` is `true`.',
      }),
    ),
  },
  exactly,
)

export const TokenRecordSchema = Type.Object(
  {
    description: orNull(Type.String()),
    'revoked-at': orNull(Type.String({ format: 'date-time' })),
    'revoked-by': orNull(Type.String(), 'A username, or `operator`'),
    'session-id': Type.String({ description: 'The id of the session, for `revokeToken`' }),
    'valid-since': Type.String({ format: 'date-time' }),
    'valid-until': Type.String({ format: 'date-time' }),
  },
  { title: 'TokenRecord', ...exactly },
)
export type TokenRecord = Static<typeof TokenRecordSchema>

export const TokenListResponseSchema = Type.Object(
  { macaroons: Type.Array(TokenRecordSchema) },
  { title: 'TokenList', ...exactly },
)
export type TokenListResponse = Static<typeof TokenListResponseSchema>

export const RevokeTokenRequestSchema = Type.Object(
  { 'session-id': Type.String({ minLength: 1, maxLength: 64 }) },
  { title: 'RevokeTokenRequest', ...exactly },
)

export const AccountSchema = Type.Object(
  {
    email: Type.String({ description: 'Empty for an account that a first login created' }),
    id: Type.String({ description: 'The account id: 32 letters and digits, which never change' }),
    name: Type.String({ description: 'The name to show' }),
    username: Type.String(),
  },
  { title: 'Account', ...exactly },
)

export const WhoamiResponseSchema = Type.Object(
  {
    account: AccountSchema,
    channels: orNull(restriction(Type.String())),
    packages: orNull(
      restriction(Type.String()),
      'Snap ids; for a package that is not in the package directory, its name',
    ),
    permissions: orNull(
      restriction(
        Type.Enum([...PERMISSIONS, ...GATEWAY_PERMISSIONS], { type: 'string', title: 'AnyPermission' }),
      ),
    ),
    store_ids: Type.Optional(orNull(restriction(Type.String()))),
    // Intentionally without a zone: snapcraft appends the `Z` itself.
    expires: Type.Optional(
      orNull(
        Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}$' }),
        'UTC without a zone: clients of the store append the `Z` themselves',
      ),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            code: Type.String(),
            message: Type.String(),
            extra: Type.Record(Type.String(), Type.Unknown()),
          },
          { title: 'WhoamiError' },
        ),
        {
          description: 'Limits to packages that do not exist here: `package-not-found` for each unknown one',
        },
      ),
    ),
  },
  { title: 'Whoami', ...exactly },
)
export type WhoamiResponse = Static<typeof WhoamiResponseSchema>
