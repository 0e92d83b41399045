/** The wire schemas of jobs in the management API (contract/administration.md, A14 to A16). */
import { NAMED_MODEL, UUID_TEXT } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { pageQuery } from './common.ts'
import { DevicesQuerySchema, ReasonSchema } from './device.ts'

const exactly = { additionalProperties: false }
const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

/** Those that are asked for by their names. */
export const NEW_JOB_KINDS = [
  'devices.approve',
  'devices.reject',
  'devices.revoke',
  'devices.release',
  'tokens.revoke',
  'devices.import',
  'allow-list.import',
  'allow-list.remove',
  'hardware-identities.import',
  'packages.import',
] as const
const JOB_KINDS_WITH_FILE = NEW_JOB_KINDS.filter((kind) => /[.](import|remove)$/.test(kind))
/** Beside those, one with a request of its own. */
export const JOB_KIND_NAMES = [...NEW_JOB_KINDS, 'audit.verify'] as const
const KindSchema = Type.Enum([...NEW_JOB_KINDS], { type: 'string', title: 'JobKind' })

const { limit: _, cursor: __, sort: ___, ...filters } = DevicesQuerySchema.properties
/** What `GET /devices` takes in its query, as an object. */
export const DeviceFilterSchema = Type.Object(filters, {
  title: 'DeviceFilter',
  minProperties: 1,
  ...exactly,
})

/** What a request says of a file, beside its kind. */
const FileOptions = {
  format: Type.Optional(
    Type.Enum(['csv', 'json', 'ndjson'], {
      type: 'string',
      description: 'Of the file: CSV with a header line, a JSON list of objects, or an object in each line',
    }),
  ),
  model: Type.Optional(
    Type.String({
      pattern: NAMED_MODEL.pattern,
      description: 'Of `allow-list.import` and `allow-list.remove`: BRAND/MODEL',
    }),
  ),
  unknown_models: Type.Optional(
    Type.Boolean({ description: 'Of `devices.import`: take devices of models that are not here' }),
  ),
  replace_all: Type.Optional(
    Type.Boolean({ description: 'Of `packages.import`: remove the packages that are not in the file' }),
  ),
}

/** The longest list of ids in a request. */
export const MOST_IDS = 1_000
/** Of a file, and the bytes of each. */
export const MOST_PARTS = 64
export const PART_BYTES = 4 * 1024 * 1024
/** Seconds that a request may wait for a job to end. */
export const MOST_JOB_WAIT = 30

export const NewJobSchema = Type.Object(
  {
    kind: KindSchema,
    ids: Type.Optional(
      Type.Array(Type.String({ pattern: UUID_TEXT.pattern }), {
        minItems: 1,
        maxItems: MOST_IDS,
        description: 'Of devices; for `tokens.revoke` of sessions',
      }),
    ),
    filter: Type.Optional(DeviceFilterSchema),
    expected: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'How many the filter chose when you looked: any other number is refused',
      }),
    ),
    reason: Type.Optional(ReasonSchema),
    parts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_PARTS,
        description: 'Of a job that imports a file: in how many parts it comes',
      }),
    ),
    ...FileOptions,
  },
  { title: 'NewJob', ...exactly },
)

/** `kind`: the body is the file of the job. */
export const NewJobQuerySchema = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum(JOB_KINDS_WITH_FILE, { type: 'string', description: 'The body is the file of such a job' }),
    ),
    ...FileOptions,
  },
  exactly,
)

export const JobSchema = Type.Object(
  {
    id: Text,
    kind: Text,
    state: Type.Enum(['uploading', 'queued', 'running', 'done', 'cancelled', 'stopped', 'failed'], {
      type: 'string',
      title: 'JobState',
    }),
    by: Text,
    total: Count,
    done: Count,
    unchanged: Type.Integer({ minimum: 0, description: 'Those that were decided this way before' }),
    refused: Count,
    created_at: Text,
    started_at: orNull(Text),
    ended_at: orNull(Text),
    note: orNull(Text, 'Why it was cancelled or stopped, or that it failed'),
    parts: orNull(Type.Integer({ minimum: 1 }), 'In how many parts its file comes'),
    dry_run: Type.Boolean({ description: 'It says what it would do, and changes nothing' }),
  },
  { title: 'Job', ...exactly },
)

export const JobPreviewSchema = Type.Object(
  {
    kind: Text,
    total: Count,
    examined: Type.Integer({ minimum: 0, description: 'So many of them were looked at, the first ones' }),
    done: Type.Integer({ minimum: 0, description: 'So many of those would be done' }),
    unchanged: Count,
    refused: Count,
    first: Type.Array(Text, { description: 'The first ids' }),
    first_refused: Type.Array(Type.Object({ subject: Text, code: Text, message: Text }, exactly)),
  },
  { title: 'JobPreview', ...exactly },
)

export const JobsSchema = Type.Object(
  { jobs: Type.Array(JobSchema), next: orNull(Text) },
  { title: 'Jobs', ...exactly },
)
export const JobsQuerySchema = Type.Object({ ...pageQuery }, exactly)
export const JobQuerySchema = Type.Object(
  {
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST_JOB_WAIT,
        description: 'Seconds: the answer comes when the job has ended, and after this time in any case',
      }),
    ),
  },
  exactly,
)

export const JobItemsSchema = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          subject: Type.String({
            description: 'The id of a device, or of a session; `file` of an import; `audit log`',
          }),
          outcome: orNull(Text, '`done`, `unchanged` or `refused`; null until its turn has come'),
          code: orNull(Text, 'Of the refusal'),
          message: orNull(
            Text,
            'Of a file that is refused, a line for each fault; of the audit log its last intact entry as `SEQ:HASH`, and what is wrong',
          ),
          extra: orNull(
            Type.Record(Text, Type.Unknown()),
            'Of the refusal; of a file `faults`, a list of `{line, item, column, message}`',
          ),
          result: orNull(Type.Record(Text, Type.Integer()), 'What the job did or found: counts by name'),
        },
        exactly,
      ),
    ),
    next: orNull(Text),
  },
  { title: 'JobItems', ...exactly },
)
const outcome = Type.Optional(Type.Enum(['done', 'unchanged', 'refused', 'open'], { type: 'string' }))
export const JobItemsQuerySchema = Type.Object({ ...pageQuery, outcome }, exactly)
export const JobExportQuerySchema = Type.Object(
  {
    outcome,
    format: Type.Optional(
      Type.Enum(['ndjson', 'csv'], { type: 'string', description: 'JSON lines if absent' }),
    ),
  },
  exactly,
)
