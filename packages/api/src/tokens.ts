/** The wire schemas of `/api/v2/tokens` (specification, "Endpoints"). */
import Type, { type Static, type TSchema } from 'typebox'
import { MAX_ATTENUATION_BYTES, MAX_DESCRIPTION_LENGTH, MAX_LIST_ITEMS } from './limits.ts'
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
    description: Type.Optional(
      Type.String({
        maxLength: MAX_DESCRIPTION_LENGTH,
        description: 'Any text; of the control characters only line breaks and tabs',
      }),
    ),
    expires: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'RFC 3339, in UTC: `Z`, `+00:00`, `-00:00` or no zone. Seconds may be left out, and `23:59:60` is the second after `23:59:59`.',
      }),
    ),
    packages: Type.Optional(restriction(PackageSchema)),
    permissions: Type.Optional(restriction(PermissionSchema)),
    store_ids: Type.Optional(restriction(NameSchema)),
  },
  {
    description: `All lists together have at most ${MAX_ATTENUATION_BYTES} bytes, where an item takes its length and 6 more, a quote or backslash in it 4, and the rest 76.`,
    ...exactly,
  },
)
export type CreateTokenRequest = Static<typeof CreateTokenRequestSchema>

export const MacaroonResponseSchema = Type.Object({ macaroon: Type.String() }, exactly)
export type MacaroonResponse = Static<typeof MacaroonResponseSchema>

export const ListTokensQuerySchema = Type.Object({
  'include-inactive': Type.Optional(
    Type.Enum(['true', 'false', '1', '0', 'yes', 'no', 'on', 'off'], {
      description: 'Also list revoked and expired sessions. In any case: `True` is `true`.',
    }),
  ),
})

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
        {
          description:
            'Limits to what does not exist here: `package-not-found` for each package that is unknown',
        },
      ),
    ),
  },
  exactly,
)
export type WhoamiResponse = Static<typeof WhoamiResponseSchema>
