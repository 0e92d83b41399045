/** The wire schemas of models and what belongs to them in the management API, as `schemas.ts` writes them. */
import { ALLOWED_SERIAL, DEVICE_KEY_ID } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { BrandSchema, exactly, InstantSchema, page, pageQuery, several } from './common.ts'

const Text = Type.String()

const choice = <const Value extends string>(...values: readonly Value[]) =>
  Type.Enum([...values], { type: 'string' })

/** The policy of a model, as its record has it. */
const POLICY = {
  registration: choice('auto', 'allow-list', 'approval'),
  proposed_serial: choice('required', 'optional', 'ignored'),
  taken_serial: choice('refuse', 'reissue'),
  serials: Type.String({ description: 'The template of serial numbers that are made here, or `uuid`' }),
  hardware_identity: choice('required', 'ignored'),
  clones: choice('quarantine', 'record'),
} as const

const MODEL = {
  brand_id: Text,
  model: Text,
  ...POLICY,
  added_at: Text,
  warnings: Type.Array(Text, { description: 'What is dangerous about the policy, a sentence each' }),
} as const

export const ModelRecordSchema = Type.Object(MODEL, { title: 'ListedModel', ...exactly })
export const ModelsSchema = page('Models', 'models', ModelRecordSchema)
export const ModelsQuerySchema = Type.Object(
  { ...pageQuery, brand: Type.Optional(several(BrandSchema)) },
  exactly,
)

/** A template is checked by the operation, which says how to write one. */
const NewSerials = Type.Optional(
  orNull(
    Type.String({ minLength: 1, maxLength: 128 }),
    'A template such as `AC-{number:8}`; null or `uuid`: each serial number is a UUID',
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
  description:
    'The model assertion, and behind it the account-key that signed it, if that is another than before',
})

export const NewModelSchema = Type.Object(
  {
    assertion: AssertionText,
    policy: Type.Object(
      { registration: POLICY.registration, ...NEW_POLICY },
      { description: 'What is left out is as for a new model of the command line', ...exactly },
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
      { description: 'The same warnings, each with the setting of the policy that it is about' },
    ),
    revision: Type.Integer({ description: 'Of its assertion' }),
    display_name: orNull(Text, 'What its assertion calls it'),
    architecture: orNull(Text),
    base: orNull(Text),
    grade: orNull(Text),
    classic: Type.Boolean({ description: 'Whether it is a classic system with snaps, and not Ubuntu Core' }),
    signed_at: Type.String({ description: 'When the brand signed its assertion, as that says' }),
    store: orNull(Text),
    serial_authority: Type.Array(Text, {
      description: 'Who else may sign its serials, as its assertion says',
    }),
    signer: orNull(
      Type.Object({ authority_id: Text, key_id: Text }, exactly),
      'The key that signs its serials now',
    ),
    signer_fault: orNull(Text, 'Why there is none'),
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
    label: Type.String({ minLength: 1, maxLength: 200, description: 'What it is for' }),
    expires: Type.Optional(orNull(InstantSchema)),
    uses: Type.Optional(
      orNull(
        Type.Integer({ minimum: 1, maximum: 2_000_000_000 }),
        'How often it may be used; null or absent: any number of times',
      ),
    ),
  },
  { title: 'NewApiKey', ...exactly },
)
export const CreatedApiKeySchema = Type.Object(
  {
    ...API_KEY,
    key: orNull(Text, 'What devices send. It is shown this once, and stored nowhere. Null in a dry run'),
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
            'A serial number stands for all its entries, a key for the one without a serial number, both for that entry',
        },
      ),
    ),
    all: Type.Optional(Type.Boolean({ description: 'True: all entries; needs a recent sign-in' })),
  },
  { title: 'RemoveAllowed', ...exactly },
)
export const RemovedAllowedSchema = Type.Object(
  { removed: Type.Integer({ description: 'How many entries' }) },
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
      description: 'BRAND/MODEL: what the devices may become',
    }),
  },
  { title: 'NewRemodel', ...exactly },
)
export const RemodelsSchema = page('Remodels', 'remodels', RemodelSchema)
