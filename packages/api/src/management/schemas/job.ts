/** The wire schemas of jobs in the management API (contract/administration.md, A14 to A16). */
import { NAMED_MODEL, UUID_TEXT } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { exactly, pageQuery, Text } from './common.ts'
import { DevicesQuerySchema, ReasonSchema } from './device.ts'

const Count = Type.Integer({ minimum: 0 })

/** The kinds that a request can name. */
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
/** All kinds, including one with its own request. */
export const JOB_KIND_NAMES = [...NEW_JOB_KINDS, 'audit.verify'] as const
const KindSchema = Type.Enum([...NEW_JOB_KINDS], { type: 'string', title: 'JobKind' })

const { limit: _, cursor: __, sort: ___, ...filters } = DevicesQuerySchema.properties
/** The filters of `GET /devices`, as an object. */
export const DeviceFilterSchema = Type.Object(filters, {
  title: 'DeviceFilter',
  minProperties: 1,
  ...exactly,
})

/** The options of a file in a request, besides its kind. */
const FileOptions = {
  format: Type.Optional(
    Type.Enum(['csv', 'json', 'ndjson'], {
      type: 'string',
      description:
        'The format of the file: CSV with a header line, a JSON list of objects, or an object per line',
    }),
  ),
  model: Type.Optional(
    Type.String({
      pattern: NAMED_MODEL.pattern,
      description: 'For `allow-list.import` and `allow-list.remove`: BRAND/MODEL',
    }),
  ),
  unknown_models: Type.Optional(
    Type.Boolean({ description: 'For `devices.import`: accept devices of models that are not here' }),
  ),
  replace_all: Type.Optional(
    Type.Boolean({ description: 'For `packages.import`: remove the packages that are not in the file' }),
  ),
}

/** The longest list of ids in a request. */
export const MOST_IDS = 1_000
/** The maximum number of parts of a file, and the maximum size of each in bytes. */
export const MOST_PARTS = 64
export const PART_BYTES = 4 * 1024 * 1024
/** The maximum number of seconds that a request can wait for a job to end. */
export const MOST_JOB_WAIT = 30

export const NewJobSchema = Type.Object(
  {
    kind: KindSchema,
    ids: Type.Optional(
      Type.Array(Type.String({ pattern: UUID_TEXT.pattern }), {
        minItems: 1,
        maxItems: MOST_IDS,
        description: 'Ids of devices; for `tokens.revoke`, of sessions',
      }),
    ),
    filter: Type.Optional(DeviceFilterSchema),
    expected: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'How many devices the filter selected when you looked: any other number is refused',
      }),
    ),
    reason: Type.Optional(ReasonSchema),
    parts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_PARTS,
        description: 'For a job that imports a file: the number of its parts',
      }),
    ),
    ...FileOptions,
  },
  { title: 'NewJob', ...exactly },
)

/** With `kind`, the body is the file of the job. */
export const NewJobQuerySchema = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum(JOB_KINDS_WITH_FILE, {
        type: 'string',
        description: 'The kind of job for the file in the body',
      }),
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
    unchanged: Type.Integer({ minimum: 0, description: 'How many were already in the wanted state' }),
    refused: Count,
    created_at: Text,
    started_at: orNull(Text),
    ended_at: orNull(Text),
    note: orNull(Text, 'Why it was cancelled or stopped, or that it failed'),
    parts: orNull(Type.Integer({ minimum: 1 }), 'The number of parts of its file'),
    dry_run: Type.Boolean({ description: 'Whether it only shows what it would do, and changes nothing' }),
  },
  { title: 'Job', ...exactly },
)

export const JobPreviewSchema = Type.Object(
  {
    kind: Text,
    total: Count,
    examined: Type.Integer({ minimum: 0, description: 'How many of the first records were examined' }),
    done: Type.Integer({ minimum: 0, description: 'How many of those would be done' }),
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
        description: 'Seconds to wait for the job to end before the response comes',
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
            description: 'The id of a device or session; `file` for an import; `audit log`',
          }),
          outcome: orNull(Text, '`done`, `unchanged` or `refused`; null until its turn comes'),
          code: orNull(Text, 'The code of the refusal'),
          message: orNull(
            Text,
            'For a refused file, a line per error; for the audit log, its last intact entry as `SEQ:HASH` and any problem',
          ),
          extra: orNull(
            Type.Record(Text, Type.Unknown()),
            'The `extra` of the refusal; for a file `faults`, a list of `{line, item, column, message}`',
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
