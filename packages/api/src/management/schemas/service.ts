/** The wire schemas of the package directory, the counters and the condition of the service. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { COUNTER_NAMES, COUNTER_PERIODS } from '../counters.ts'
import { BrandSchema, exactly, page, Text } from './common.ts'

export const PackageSchema = Type.Object({ name: Text, snap_id: Text }, { title: 'Package', ...exactly })
export const PackagesSchema = page('Packages', 'packages', PackageSchema)

export const CountersQuerySchema = Type.Object(
  {
    name: Type.Optional(
      Type.Enum([...COUNTER_NAMES], { type: 'string', description: 'Default: all that you can see' }),
    ),
    period: Type.Optional(
      Type.Enum([...COUNTER_PERIODS], {
        type: 'string',
        description: 'By the hour (the default), day or month, including the current one',
      }),
    ),
    brand: Type.Optional(BrandSchema),
    previous: Type.Optional(Type.Boolean({ description: 'Also return the counts of the previous period' })),
  },
  exactly,
)
const NumberSchema = Type.Integer({ minimum: 0 })
export const CountersSchema = Type.Object(
  {
    period: Type.Enum([...COUNTER_PERIODS], { type: 'string' }),
    brand: orNull(Text, 'Null: all brands that you can see'),
    unit: Type.Enum(['hour', 'day', 'month'], { type: 'string' }),
    counters: Type.Array(
      Type.Object(
        {
          name: Type.Enum([...COUNTER_NAMES], { type: 'string', title: 'CounterName' }),
          labels: Type.Array(Text, {
            description: 'The labels: outcomes, or for `refusals` the codes of the answers',
          }),
          buckets: Type.Array(
            Type.Object(
              {
                at: Type.String({ description: 'When it begins, in UTC' }),
                counts: Type.Record(Type.String(), NumberSchema, { description: 'By label' }),
              },
              { title: 'CounterBucket', ...exactly },
            ),
            { description: 'Oldest first and without gaps; the last one is not over' },
          ),
          previous: Type.Optional(
            orNull(
              Type.Record(Type.String(), NumberSchema),
              'Counts by label in the same number of buckets before, if `previous` was sent. Null: not stored that long',
            ),
          ),
        },
        { title: 'Counter', ...exactly },
      ),
    ),
  },
  { title: 'Counters', ...exactly },
)

export const StatusSchema = Type.Object(
  {
    release: Type.String({ description: 'The release of the node that answers' }),
    findings: Type.Array(
      Type.Object(
        {
          part: Type.String({
            description: '`schema`, `jobs`, `keys`, …; a newer release may have others',
          }),
          state: Type.Enum(['ok', 'attention', 'unknown'], {
            type: 'string',
            description: '`unknown`: the service cannot determine it, which is not an error',
          }),
          says: Type.String({ description: 'A sentence, with what to do if it needs attention' }),
        },
        { title: 'Finding', ...exactly },
      ),
    ),
  },
  { title: 'Status', ...exactly },
)
