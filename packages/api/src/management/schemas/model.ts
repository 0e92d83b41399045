/** The wire schemas of models and what belongs to them in the management API. */
import { ALLOWED_SERIAL, DEVICE_KEY_ID } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { BrandSchema, exactly, InstantSchema, page, pageQuery, several, Text } from './common.ts'

const choice = <const Value extends string>(...values: readonly Value[]) =>
  Type.Enum([...values], { type: 'string' })

/** The policy of a model, as in its record. */
const POLICY = {
  registration: choice('auto', 'allow-list', 'approval'),
  proposed_serial: choice('required', 'optional', 'ignored'),
  taken_serial: choice('refuse', 'reissue'),
  serials: Type.String({ description: 'The template of generated serial numbers, or `uuid`' }),
  hardware_identity: choice('required', 'ignored'),
  clones: choice('quarantine', 'record'),
} as const

const MODEL = {
  brand_id: Text,
  model: Text,
  ...POLICY,
  added_at: Text,
  warnings: Type.Array(Text, { description: 'The dangers of the policy, a sentence each' }),
} as const

export const ModelRecordSchema = Type.Object(MODEL, { title: 'ListedModel', ...exactly })
export const ModelsSchema = page('Models', 'models', ModelRecordSchema)
export const ModelsQuerySchema = Type.Object(
  { ...pageQuery, brand: Type.Optional(several(BrandSchema)) },
  exactly,
)

/** The operation checks the template; its refusal explains how to write one. */
const NewSerials = Type.Optional(
  orNull(
    Type.String({ minLength: 1, maxLength: 128 }),
    'A template such as `AC-{number:8}`; with null or `uuid`, each serial number is a UUID',
  ),
)
const NEW_POLICY = {
  proposed_serial: Type.Optional(POLICY.proposed_serial),
  taken_serial: Type.Optional(POLICY.taken_serial),
  serials: NewSerials,
  hardware_identity: Type.Optional(POLICY.hardware_identity),
  clones: Type.Optional(POLICY.clones),
} as const
const AssertionText = Type.String({
  minLength: 1,
  maxLength: 60_000,
  description: 'The model assertion, followed by the account-key that signed it if the key is new',
})

export const NewModelSchema = Type.Object(
  {
    assertion: AssertionText,
    policy: Type.Object(
      { registration: POLICY.registration, ...NEW_POLICY },
      {
        description: 'Omitted settings get the defaults that the command line has for a new model',
        ...exactly,
      },
    ),
  },
  { title: 'NewModel', ...exactly },
)
export const PolicyPatchSchema = Type.Object(
  { registration: Type.Optional(POLICY.registration), ...NEW_POLICY },
  { title: 'PolicyPatch', ...exactly },
)
export const ModelAssertionSchema = Type.Object(
  { assertion: AssertionText },
  { title: 'ModelAssertion', ...exactly },
)
export const RemovedModelSchema = Type.Object(
  {
    removed: Type.String({ description: 'BRAND/MODEL' }),
    api_keys: Type.Integer(),
    remodels: Type.Integer(),
  },
  { title: 'RemovedModel', ...exactly },
)

export const ModelDetailsSchema = Type.Object(
  {
    ...MODEL,
    warnings_by_setting: Type.Array(
      Type.Object(
        {
          setting: choice('registration', 'taken_serial', 'hardware_identity'),
          warning: Text,
        },
        exactly,
      ),
      { description: 'The same warnings, each with its setting of the policy' },
    ),
    revision: Type.Integer({ description: 'The revision of its assertion' }),
    display_name: orNull(Text, 'The display name in its assertion'),
    architecture: orNull(Text),
    base: orNull(Text),
    grade: orNull(Text),
    classic: Type.Boolean({
      description: 'Whether it is a classic system with snaps instead of Ubuntu Core',
    }),
    signed_at: Type.String({
      description: 'When the brand signed the assertion, according to the assertion',
    }),
    store: orNull(Text),
    serial_authority: Type.Array(Text, {
      description: 'The other accounts that can sign its serials, according to its assertion',
    }),
    signer: orNull(
      Type.Object({ authority_id: Text, key_id: Text }, exactly),
      'The key that now signs its serials',
    ),
    signer_fault: orNull(Text, 'Why there is no such key'),
  },
  { title: 'Model', ...exactly },
)

// API keys

const API_KEY = {
  id: Text,
  model: Type.String({ description: 'BRAND/MODEL' }),
  label: Text,
  uses: Type.Integer(),
  use_limit: orNull(Type.Integer()),
  created_at: Text,
  expires_at: orNull(Text),
  last_used_at: orNull(Text),
  revoked_at: orNull(Text),
} as const

export const ApiKeySchema = Type.Object(API_KEY, { title: 'ApiKey', ...exactly })
export const ApiKeysSchema = page('ApiKeys', 'api_keys', ApiKeySchema)
export const NewApiKeySchema = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: 200, description: 'The purpose of the key' }),
    expires: Type.Optional(orNull(InstantSchema)),
    uses: Type.Optional(
      orNull(
        Type.Integer({ minimum: 1, maximum: 2_000_000_000 }),
        'How many times it can be used; null or absent for no limit',
      ),
    ),
  },
  { title: 'NewApiKey', ...exactly },
)
export const CreatedApiKeySchema = Type.Object(
  {
    ...API_KEY,
    key: orNull(Text, 'The text that devices send. Shown only once and stored nowhere. Null in a dry run'),
  },
  { title: 'CreatedApiKey', ...exactly },
)

// Allow-lists

const Serial = Type.String({ pattern: ALLOWED_SERIAL.pattern })
const KeyId = Type.String({ pattern: DEVICE_KEY_ID.pattern })

export const AllowListSchema = page(
  'AllowList',
  'entries',
  Type.Object({ serial: orNull(Text), device_key_id: orNull(Text) }, { title: 'AllowListEntry', ...exactly }),
)
export const RemoveAllowedSchema = Type.Object(
  {
    entries: Type.Optional(
      Type.Array(
        Type.Object(
          { serial: Type.Optional(orNull(Serial)), device_key_id: Type.Optional(orNull(KeyId)) },
          exactly,
        ),
        {
          minItems: 1,
          maxItems: 1000,
          description:
            'A serial number selects all its entries, a key the entry without a serial number, both together that entry',
        },
      ),
    ),
    all: Type.Optional(Type.Boolean({ description: 'True: all entries; requires a recent sign-in' })),
  },
  { title: 'RemoveAllowed', ...exactly },
)
export const RemovedAllowedSchema = Type.Object(
  { removed: Type.Integer({ description: 'The number of removed entries' }) },
  { title: 'RemovedAllowed', ...exactly },
)

// Hardware

export const HardwareIdentitiesSchema = page(
  'HardwareIdentities',
  'hardware_identities',
  Type.Object(
    {
      issuer_id: Text,
      hardware_id: Text,
      hardware_name: Text,
      manufacturer: Text,
      key_sha3_384: Text,
      key_sha384: Text,
    },
    { title: 'HardwareIdentity', ...exactly },
  ),
)

// Remodels

export const RemodelSchema = Type.Object(
  {
    from: Type.String({ description: 'BRAND/MODEL' }),
    to: Type.String({ description: 'BRAND/MODEL' }),
    allowed_at: Text,
  },
  { title: 'Remodel', ...exactly },
)
export const NewRemodelSchema = Type.Object(
  {
    to: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'The BRAND/MODEL that devices can remodel to',
    }),
  },
  { title: 'NewRemodel', ...exactly },
)
export const RemodelsSchema = page('Remodels', 'remodels', RemodelSchema)
