/** The wire schemas of devices, and of decisions about them. */
import {
  ADDRESS_OR_BLOCK,
  BRAND_AND_MODEL,
  PART_OF_KEY_ID,
  SERIAL_KEY_OR_ID,
  STORABLE,
} from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import {
  BrandSchema,
  EXAMINED,
  exactly,
  InstantSchema,
  listOf,
  nameOrId,
  pageQuery,
  several,
  Text,
} from './common.ts'

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
  last_seen_at: orNull(
    Text,
    'When it last registered, or opened or refreshed a session; stored some seconds later',
  ),
  last_address: orNull(Text, 'The address that it did this from'),
  evidence_at: orNull(Text, 'When evidence of a clone was last seen; null without evidence'),
}
export const DeviceActivitySchema = Type.Object(ActivityFields, { title: 'DeviceActivity', ...exactly })
export const ListedDeviceSchema = Type.Object(
  { ...DeviceFields, ...ActivityFields },
  { title: 'ListedDevice', ...exactly },
)

const SerialText = Type.String({ minLength: 1, maxLength: 128, pattern: STORABLE.pattern })
const KeyText = Type.String({ pattern: PART_OF_KEY_ID.pattern })

export const CLONE_KIND_NAMES = ['second-chain', 'forked-chain', 'two-chains', 'second-key'] as const
export const CloneKindSchema = Type.Enum([...CLONE_KIND_NAMES], { type: 'string' })

export const DEVICE_SORTS = ['-registered', 'registered', 'serial', '-seen', 'seen', '-evidence'] as const

const DeviceFilterFields = {
  sort: Type.Optional(
    Type.Enum([...DEVICE_SORTS], {
      type: 'string',
      description:
        '`-registered` if absent. `seen` lists only devices that were seen, `evidence` only those with evidence',
    }),
  ),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      pattern: STORABLE.pattern,
      description:
        'An id, BRAND/MODEL/SERIAL, or the id of a device key; cannot be combined with `model`, `serial` or `key`',
    }),
  ),
  q: Type.Optional(
    Type.String({
      pattern: SERIAL_KEY_OR_ID.pattern,
      description:
        'Any part of a serial, the beginning (8 characters or more) of a key, or a whole id; case-sensitive',
    }),
  ),
  serial: Type.Optional(SerialText),
  serial_prefix: Type.Optional(SerialText),
  key: Type.Optional(KeyText),
  key_prefix: Type.Optional(KeyText),
  brand: Type.Optional(several(BrandSchema)),
  model: Type.Optional(several(Type.String({ pattern: BRAND_AND_MODEL.pattern }), 'BRAND/MODEL')),
  status: Type.Optional(several(Type.Enum([...DEVICE_STATUS_NAMES], { type: 'string' }))),
  quarantined: Type.Optional(Type.Boolean()),
  origin: Type.Optional(several(Type.Enum(['registration', 'session', 'import'], { type: 'string' }))),
  decided_by: Type.Optional(several(nameOrId('A username, or `operator`'))),
  registered_since: Type.Optional(InstantSchema),
  registered_until: Type.Optional(InstantSchema),
  seen_since: Type.Optional(InstantSchema),
  seen_until: Type.Optional(InstantSchema),
  never_seen: Type.Optional(
    Type.Boolean({ description: 'Whether it has neither registered here nor ever opened a session' }),
  ),
  session_since: Type.Optional(InstantSchema),
  session_until: Type.Optional(InstantSchema),
  without_session: Type.Optional(Type.Boolean({ description: 'Whether it never opened a session' })),
  address: Type.Optional(
    several(
      Type.String({ pattern: ADDRESS_OR_BLOCK.pattern }),
      'Where it was last seen: an address, or a block such as `198.51.100.0/24`',
    ),
  ),
  past_address: Type.Optional(
    Type.String({
      pattern: ADDRESS_OR_BLOCK.pattern,
      description: 'Where it ever registered or opened a session, as far as retention keeps addresses',
    }),
  ),
  evidence: Type.Optional(
    Type.Boolean({ description: 'Whether there is evidence of a clone of the device' }),
  ),
  evidence_kind: Type.Optional(several(CloneKindSchema, 'The kind of evidence of a clone of the device')),
}

export const DevicesQuerySchema = Type.Object({ ...pageQuery, ...DeviceFilterFields }, exactly)

export const DEVICE_EXPORT_FORMATS = ['ndjson', 'csv'] as const
export const DevicesExportQuerySchema = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...DEVICE_EXPORT_FORMATS], { type: 'string', description: '`ndjson` if absent' }),
    ),
    whole: Type.Optional(
      Type.Boolean({
        description:
          'Include `request`, `assertions` and `clone_evidence`, as an import accepts them, instead of when the device was last seen',
      }),
    ),
    ...DeviceFilterFields,
  },
  exactly,
)
export const DevicesSchema = Type.Object(
  {
    devices: Type.Array(ListedDeviceSchema),
    next: orNull(Text),
    examined: EXAMINED,
  },
  { title: 'Devices', ...exactly },
)

/** A count with an upper limit. */
const CountedNowSchema = Type.Object(
  {
    devices: Type.Integer({ description: 'At most 10,000' }),
    more: Type.Boolean({ description: 'Whether there are more' }),
  },
  exactly,
)
export const DeviceCountsQuerySchema = Type.Object({ brand: Type.Optional(several(BrandSchema)) }, exactly)
export const DeviceCountsSchema = Type.Object(
  {
    counted_at: orNull(Text, 'When `devices` and `counts` were counted; null before the first count'),
    devices: Type.Integer({ description: 'The sum of `counts`' }),
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
  description: 'One line of 1 to 200 printable characters, which a rejected device shows',
})
export const ApproveSchema = Type.Object(
  {
    serial: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Replaces what the device proposed' }),
    ),
  },
  { title: 'Approve', ...exactly },
)
export const RejectSchema = Type.Object({ reason: ReasonSchema }, { title: 'Reject', ...exactly })
export const RevokeSchema = Type.Object(
  { reason: Type.Optional(ReasonSchema) },
  { title: 'Revoke', ...exactly },
)
