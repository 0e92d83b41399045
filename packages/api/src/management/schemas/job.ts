/** The wire schemas of jobs in the management API (contract/administration.md, A14 to A16). */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { pageQuery } from './common.ts'
import { DevicesQuerySchema, ReasonSchema } from './device.ts'

const exactly = { additionalProperties: false }
const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

export const JOB_KIND_NAMES = [
  'devices.approve',
  'devices.reject',
  'devices.revoke',
  'devices.release',
  'tokens.revoke',
] as const
const KindSchema = Type.Enum([...JOB_KIND_NAMES], { type: 'string', title: 'JobKind' })

const { limit: _, cursor: __, sort: ___, ...filters } = DevicesQuerySchema.properties
/** What `GET /devices` takes in its query, as an object. */
export const DeviceFilterSchema = Type.Object(filters, {
  title: 'DeviceFilter',
  minProperties: 1,
  ...exactly,
})

/** The longest list of ids in a request. */
export const MOST_IDS = 1_000
/** Seconds that a request may wait for a job to end. */
export const MOST_JOB_WAIT = 30

export const NewJobSchema = Type.Object(
  {
    kind: KindSchema,
    ids: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-f-]{36}$' }), {
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
  },
  { title: 'NewJob', ...exactly },
)

export const JobSchema = Type.Object(
  {
    id: Text,
    kind: Text,
    state: Type.Enum(['queued', 'running', 'done', 'cancelled', 'stopped', 'failed'], {
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
          subject: Type.String({ description: 'The id of a device, or of a session' }),
          outcome: orNull(Text, '`done`, `unchanged` or `refused`; null until its turn has come'),
          code: orNull(Text, 'Of the refusal'),
          message: orNull(Text),
        },
        exactly,
      ),
    ),
    next: orNull(Text),
  },
  { title: 'JobItems', ...exactly },
)
export const JobItemsQuerySchema = Type.Object(
  {
    ...pageQuery,
    outcome: Type.Optional(Type.Enum(['done', 'unchanged', 'refused', 'open'], { type: 'string' })),
  },
  exactly,
)
