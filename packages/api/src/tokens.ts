/** The wire schemas of `/api/v2/tokens` (specification, "Endpoints"). */
import Type, { type Static, type TSchema } from 'typebox'
import { MAX_LIST_ITEMS } from './limits.ts'
import { PERMISSIONS } from './permissions.ts'

const restriction = <T extends TSchema>(items: T) =>
  Type.Array(items, { minItems: 1, maxItems: MAX_LIST_ITEMS, uniqueItems: true })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const PermissionSchema = Type.Enum([...PERMISSIONS])
// Names of the store are ASCII; unprintable characters would need escapes wherever they are shown.
const NameSchema = Type.String({ pattern: '^[ -~]{1,128}$' })
const ChannelSchema = Type.String({
  pattern: '^[ -~]{1,128}$',
  description: 'A channel; the wildcards of fnmatch are allowed',
})
/** Allows unknown keys: every real client sends `series`. */
const PackageSchema = Type.Object(
  { name: Type.Optional(NameSchema), snap_id: Type.Optional(NameSchema) },
  { anyOf: [{ required: ['name'] }, { required: ['snap_id'] }] },
)

const exactly = { additionalProperties: false }
export const EmptyObjectSchema = Type.Object({}, exactly)

export const CreateTokenRequestSchema = Type.Object(
  {
    channels: Type.Optional(restriction(ChannelSchema)),
    description: Type.Optional(Type.String()),
    expires: Type.Optional(
      Type.String({ maxLength: 64, description: 'ISO 8601, UTC: `Z`, `+00:00`, `-00:00` or no zone' }),
    ),
    packages: Type.Optional(restriction(PackageSchema)),
    permissions: Type.Optional(restriction(PermissionSchema)),
    store_ids: Type.Optional(restriction(NameSchema)),
  },
  exactly,
)
export type CreateTokenRequest = Static<typeof CreateTokenRequestSchema>

export const MacaroonResponseSchema = Type.Object({ macaroon: Type.String() }, exactly)
export type MacaroonResponse = Static<typeof MacaroonResponseSchema>

/** Any value but `true` means no, as the store's own clients expect. */
export const ListTokensQuerySchema = Type.Object({ 'include-inactive': Type.Optional(Type.String()) })

export const TokenRecordSchema = Type.Object(
  {
    description: orNull(Type.String()),
    'revoked-at': orNull(Type.String({ format: 'date-time' })),
    'revoked-by': orNull(Type.String()),
    'session-id': Type.String(),
    'valid-since': Type.String({ format: 'date-time' }),
    'valid-until': Type.String({ format: 'date-time' }),
  },
  exactly,
)
export type TokenRecord = Static<typeof TokenRecordSchema>

export const TokenListResponseSchema = Type.Object({ macaroons: Type.Array(TokenRecordSchema) }, exactly)
export type TokenListResponse = Static<typeof TokenListResponseSchema>

export const RevokeTokenRequestSchema = Type.Object(
  { 'session-id': Type.String({ minLength: 1, maxLength: 64 }) },
  exactly,
)

export const AccountSchema = Type.Object(
  { email: Type.String(), id: Type.String(), name: Type.String(), username: Type.String() },
  exactly,
)

export const WhoamiResponseSchema = Type.Object(
  {
    account: AccountSchema,
    channels: orNull(restriction(Type.String())),
    packages: orNull(restriction(Type.String())),
    permissions: orNull(restriction(PermissionSchema)),
    store_ids: Type.Optional(orNull(restriction(Type.String()))),
    // Without a zone on purpose: snapcraft appends the `Z` itself.
    expires: Type.Optional(
      orNull(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}$' })),
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          extra: Type.Record(Type.String(), Type.Unknown()),
        }),
      ),
    ),
  },
  exactly,
)
export type WhoamiResponse = Static<typeof WhoamiResponseSchema>
