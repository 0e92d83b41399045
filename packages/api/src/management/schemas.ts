/** The wire schemas of the management API. Names are in snake_case, times RFC 3339 in UTC, and null is what is absent. */
import type { Static, TSchema } from 'typebox'
import { MAX_DESCRIPTION_LENGTH } from '../limits.ts'
import { orNull } from '../tokens.ts'
import { Type } from '../type.ts'
import { MANAGEMENT_PERMISSIONS, ROLE_NAMES } from './roles.ts'

export const exactly = { additionalProperties: false }

export const InstantSchema = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z$',
  description: 'RFC 3339, in UTC with `Z`',
})
const Text = Type.String()
const RoleSchema = Type.Enum([...ROLE_NAMES], { type: 'string', title: 'Role' })
export const BrandSchema = Type.String({
  pattern: '^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$',
  maxLength: 64,
  description: 'The account id of a brand',
})

/** One page of a list; `next` is the `cursor` of the one that follows. */
export const page = <T extends TSchema>(title: string, name: string, item: T) =>
  Type.Object({ [name]: Type.Array(item), next: orNull(Text) }, { title, ...exactly })

export const LIMIT = { least: 1, most: 1000, standard: 100 } as const

/** The parameters of every list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: LIMIT.least,
      maximum: LIMIT.most,
      description: `How many records at most; ${LIMIT.standard} if absent`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,512}$',
      description: '`next` of the page before, whose other parameters must be the same',
    }),
  ),
}

/** Of a list without filters. */
export const PageQuerySchema = Type.Object(pageQuery, exactly)

// Tokens

export const ManagementRootRequestSchema = Type.Object(
  {
    roles: Type.Optional(
      Type.Array(RoleSchema, {
        minItems: 1,
        maxItems: 6,
        uniqueItems: true,
        description: 'Only with these; one that includes another may stand for it',
      }),
    ),
    brands: Type.Optional(
      Type.Array(BrandSchema, {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
        description: 'Only for these',
      }),
    ),
    read_only: Type.Optional(Type.Boolean({ description: 'It changes nothing' })),
    lifetime: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        description: 'Seconds; what the service is set to if absent',
      }),
    ),
    max_age: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'Seconds: a person who signed in to the browser longer ago signs in again',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION_LENGTH })),
  },
  { title: 'ManagementRootRequest', ...exactly },
)

// Who is asking

const GrantFields = {
  role: RoleSchema,
  brand: orNull(Text, 'Null: all brands, and what belongs to none'),
  granted_at: Text,
  granted_by: Text,
  expires_at: orNull(Text),
}

const PermissionWithBrandsSchema = Type.Object(
  {
    permission: Type.Enum([...MANAGEMENT_PERMISSIONS], {
      type: 'string',
      title: 'ManagementPermission',
    }),
    brands: orNull(Type.Array(Text), 'Null: all'),
  },
  exactly,
)

export const MeSchema = Type.Object(
  {
    id: Text,
    username: Text,
    name: Text,
    email: Text,
    signed_in: Type.Object(
      {
        with: Type.Enum(['browser', 'agent', 'unknown'], { type: 'string' }),
        at: orNull(Text, 'When the person signed in'),
        agent: orNull(Text),
      },
      exactly,
    ),
    session_id: Text,
    expires: Type.String({ description: 'The end of the token' }),
    grants: Type.Array(Type.Object({ id: Text, ...GrantFields }, exactly)),
    permissions: Type.Array(PermissionWithBrandsSchema, { description: 'What this token may do now' }),
  },
  { title: 'Me', ...exactly },
)
export type Me = Static<typeof MeSchema>

// Sessions of tokens

export const SessionSchema = Type.Object(
  {
    session_id: Text,
    username: Text,
    kind: Type.Enum(['developer', 'management'], { type: 'string' }),
    description: orNull(Text),
    signed_in: orNull(Text, '`browser INSTANT` or `agent NAME`, where it is known'),
    opened_from: orNull(Text),
    valid_since: Text,
    valid_until: Text,
    revoked_at: orNull(Text),
    revoked_by: orNull(Text),
    rule: orNull(Text),
    issuer: orNull(Text),
    job: orNull(Type.Record(Type.String(), Type.Unknown()), 'What the ID token of a CI job says of it'),
  },
  { title: 'Session', ...exactly },
)
export const SessionsSchema = page('Sessions', 'tokens', SessionSchema)
export const SessionsQuerySchema = Type.Object(
  { ...pageQuery, state: Type.Optional(Type.Enum(['active', 'all'], { type: 'string' })) },
  exactly,
)
export const AllSessionsQuerySchema = Type.Object(
  {
    ...pageQuery,
    account: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'A username or an id' })),
    state: Type.Optional(Type.Enum(['active', 'all'], { type: 'string' })),
    ends_before: Type.Optional(InstantSchema),
  },
  exactly,
)
export const ShortenSchema = Type.Object({ until: InstantSchema }, { title: 'Shorten', ...exactly })
export const RevokeMineSchema = Type.Object(
  {
    all_but: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 64,
        uniqueItems: true,
        description: 'The ids of the sessions that go on',
      }),
    ),
  },
  { title: 'RevokeMine', ...exactly },
)
export const RevokedSchema = Type.Object(
  {
    revoked: Type.Integer({ description: 'How many sessions this request ended' }),
    more: Type.Boolean({ description: 'There are more: send the request again' }),
  },
  { title: 'Revoked', ...exactly },
)

/** A slice of macaroons as long as they may be, in base64 twice, as tools store it. */
export const MOST_TOKEN_CHARACTERS = 60 * 1024
export const ExplainSchema = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: MOST_TOKEN_CHARACTERS,
      description: 'A token, a root with its discharge, or the string in which a tool stores one',
    }),
  },
  { title: 'Explain', ...exactly },
)
export const EXPLAINED_KINDS = [
  'developer-token',
  'developer-root',
  'management-token',
  'management-root',
  'device-session',
  'agent-login',
] as const
const orAll = (description: string) => orNull(Type.Array(Text), description)
export const ExplanationSchema = Type.Object(
  {
    kind: orNull(
      Type.Enum([...EXPLAINED_KINDS], { type: 'string' }),
      'Null: nothing that this service has issued',
    ),
    accepted: Type.Boolean({ description: 'Whether it opens anything now' }),
    refusal: orNull(
      Type.Object({ code: Text, message: Text }, exactly),
      'Why it is refused, as whoever presents it is told',
    ),
    username: orNull(Text, 'The account that it acts for'),
    session_id: orNull(Text),
    expires: orNull(Text),
    limits: orNull(
      Type.Object(
        {
          permissions: orAll('Null: all'),
          channels: orAll('Null: all'),
          packages: orAll('Snap ids; null: all'),
          store_ids: orAll('Null: all'),
        },
        exactly,
      ),
      'Of a developer token: what it is limited to',
    ),
    may: orNull(Type.Array(PermissionWithBrandsSchema), 'Of a management token: what it may do now'),
  },
  { title: 'Explanation', ...exactly },
)
export type Explanation = Static<typeof ExplanationSchema>

// Grants

export const GrantSchema = Type.Object(
  { id: Text, account_id: Text, account: Text, ...GrantFields },
  { title: 'Grant', ...exactly },
)
export const GrantsSchema = page('Grants', 'grants', GrantSchema)
export const GrantsQuerySchema = Type.Object(
  {
    ...pageQuery,
    account: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'A username or an id' })),
    role: Type.Optional(RoleSchema),
    brand: Type.Optional(BrandSchema),
  },
  exactly,
)
export const NewGrantSchema = Type.Object(
  {
    account: Type.String({ minLength: 1, maxLength: 64, description: 'A username or an id' }),
    role: RoleSchema,
    brand: Type.Optional(orNull(BrandSchema)),
    expires: Type.Optional(orNull(InstantSchema)),
  },
  { title: 'NewGrant', ...exactly },
)

// Devices

export const DEVICE_STATUS_NAMES = ['pending', 'rejected', 'active', 'superseded', 'revoked'] as const

const DeviceFields = {
  id: Text,
  brand_id: Text,
  model: Text,
  serial: orNull(Text),
  device_key_id: Text,
  status: Type.Enum([...DEVICE_STATUS_NAMES], { type: 'string' }),
  revision: orNull(Type.Integer()),
  origin: Type.Enum(['registration', 'session', 'import'], { type: 'string' }),
  original: orNull(Text),
  registered_at: Text,
  decided_at: orNull(Text),
  decided_by: orNull(Text),
  reason: orNull(Text),
  quarantined_at: orNull(Text),
  removed_at: orNull(Text),
}
export const DeviceSchema = Type.Object(DeviceFields, { title: 'Device', ...exactly })

const ActivityFields = {
  last_seen_at: orNull(Text, 'It registered, opened a session or refreshed one; stored some seconds later'),
  last_address: orNull(Text, 'From where it did'),
  evidence_at: orNull(Text, 'When evidence of a clone was last seen, as long as there is any'),
}
export const DeviceActivitySchema = Type.Object(ActivityFields, { title: 'DeviceActivity', ...exactly })
export const ListedDeviceSchema = Type.Object(
  { ...DeviceFields, ...ActivityFields },
  { title: 'ListedDevice', ...exactly },
)

const SerialText = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000]+$' })
const KeyText = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })
export const several = <T extends TSchema>(item: T, description?: string) =>
  Type.Array(item, { minItems: 1, maxItems: 64, ...(description === undefined ? {} : { description }) })

export const DEVICE_SORTS = ['-registered', 'registered', 'serial', '-seen', 'seen', '-evidence'] as const

const DeviceFilterFields = {
  sort: Type.Optional(
    Type.Enum([...DEVICE_SORTS], {
      type: 'string',
      description:
        '`-registered` if absent. By `seen` there are only devices that were seen, by `evidence` only those with evidence',
    }),
  ),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'An id, BRAND/MODEL/SERIAL, or the id of a device key',
    }),
  ),
  q: Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      description: 'The beginning of a serial or (8 characters or more) of a key, or an id',
    }),
  ),
  serial: Type.Optional(SerialText),
  serial_prefix: Type.Optional(SerialText),
  key: Type.Optional(KeyText),
  key_prefix: Type.Optional(KeyText),
  brand: Type.Optional(several(BrandSchema)),
  model: Type.Optional(
    several(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}/[A-Za-z0-9-]{1,64}$' }), 'BRAND/MODEL'),
  ),
  status: Type.Optional(several(Type.Enum([...DEVICE_STATUS_NAMES], { type: 'string' }))),
  quarantined: Type.Optional(Type.Boolean()),
  origin: Type.Optional(several(Type.Enum(['registration', 'session', 'import'], { type: 'string' }))),
  decided_by: Type.Optional(several(Type.String({ minLength: 1, maxLength: 64 }))),
  registered_since: Type.Optional(InstantSchema),
  registered_until: Type.Optional(InstantSchema),
  seen_since: Type.Optional(InstantSchema),
  seen_until: Type.Optional(InstantSchema),
  never_seen: Type.Optional(
    Type.Boolean({ description: 'Whether it neither registered here nor ever opened a session' }),
  ),
  address: Type.Optional(
    several(
      Type.String({ pattern: '^[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?$' }),
      'Where it was last seen: an address, or a block such as `198.51.100.0/24`',
    ),
  ),
  evidence: Type.Optional(Type.Boolean({ description: 'Whether there is evidence of a clone of it' })),
}

export const DevicesQuerySchema = Type.Object({ ...pageQuery, ...DeviceFilterFields }, exactly)

export const DEVICE_EXPORT_FORMATS = ['ndjson', 'csv'] as const
export const DevicesExportQuerySchema = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...DEVICE_EXPORT_FORMATS], { type: 'string', description: '`ndjson` if absent' }),
    ),
    ...DeviceFilterFields,
  },
  exactly,
)
export const DevicesSchema = Type.Object(
  {
    devices: Type.Array(ListedDeviceSchema),
    next: orNull(Text),
    examined: Type.Optional(
      Type.Integer({
        description: 'The page is short: so many rows were looked at, and there are more. Go on with `next`.',
      }),
    ),
  },
  { title: 'Devices', ...exactly },
)

/** Counted up to a limit. */
const CountedNowSchema = Type.Object(
  {
    devices: Type.Integer({ description: 'At most 10,000' }),
    more: Type.Boolean({ description: 'There are more' }),
  },
  exactly,
)
export const DeviceCountsQuerySchema = Type.Object({ brand: Type.Optional(several(BrandSchema)) }, exactly)
export const DeviceCountsSchema = Type.Object(
  {
    counted_at: orNull(Text, 'When `devices` and `counts` were counted; null before the first time'),
    devices: Type.Integer({ description: 'All of `counts`' }),
    counts: Type.Array(
      Type.Object(
        {
          brand_id: Text,
          model: Text,
          status: Type.Enum([...DEVICE_STATUS_NAMES], { type: 'string' }),
          devices: Type.Integer(),
        },
        exactly,
      ),
    ),
    waiting: CountedNowSchema,
    quarantined: CountedNowSchema,
  },
  { title: 'DeviceCounts', ...exactly },
)

const listOf = <T extends TSchema>(title: string, name: string, item: T) =>
  Type.Object({ [name]: Type.Array(item) }, { title, ...exactly })

export const DeviceSessionsSchema = listOf(
  'DeviceSessions',
  'sessions',
  Type.Object(
    {
      id: Text,
      chain_id: Text,
      refreshed_from: orNull(Text),
      store: orNull(Text),
      opened_at: Text,
      expires_at: Text,
      address: Text,
      user_agent: Text,
    },
    exactly,
  ),
)
export const DeviceRegistrationsSchema = listOf(
  'DeviceRegistrations',
  'registrations',
  Type.Object({ at: Text, address: Text, user_agent: Text }, exactly),
)
export const DeviceAssertionsSchema = listOf(
  'DeviceAssertions',
  'assertions',
  Type.Object(
    { revision: Type.Integer(), authority_id: Text, signing_key_id: Text, assertion: Text },
    exactly,
  ),
)
export const DeviceEvidenceSchema = listOf(
  'DeviceEvidence',
  'evidence',
  Type.Object(
    {
      kind: Text,
      subject: Text,
      times: Type.Integer(),
      first_seen_at: Text,
      last_seen_at: Text,
      details: Type.Record(Type.String(), orNull(Text)),
    },
    exactly,
  ),
)
export const HistorySchema = listOf(
  'DeviceHistory',
  'history',
  Type.Object(
    {
      id: Text,
      at: Text,
      actor: Text,
      action: Text,
      details: Type.Record(Type.String(), Type.Unknown()),
    },
    exactly,
  ),
)
export const NewestQuerySchema = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'How many of the newest; 100 if absent' }),
    ),
  },
  exactly,
)

export const ReasonSchema = Type.String({
  minLength: 1,
  maxLength: 400,
  description: 'One line of 1 to 200 printable characters; a device that is rejected shows it',
})
export const ApproveSchema = Type.Object(
  {
    serial: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Instead of what the device proposed' }),
    ),
  },
  { title: 'Approve', ...exactly },
)
export const RejectSchema = Type.Object({ reason: ReasonSchema }, { title: 'Reject', ...exactly })
export const RevokeSchema = Type.Object(
  { reason: Type.Optional(ReasonSchema) },
  { title: 'Revoke', ...exactly },
)
