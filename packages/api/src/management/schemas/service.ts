/** The package directory, and how the service is. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { COUNTER_NAMES, COUNTER_PERIODS } from '../counters.ts'
import { BrandSchema, exactly, page, Text } from './common.ts'

export const PackageSchema = Type.Object({ name: Text, snap_id: Text }, { title: 'Package', ...exactly })
export const PackagesSchema = page('Packages', 'packages', PackageSchema)

export const CountersQuerySchema = Type.Object(
  {
    name: Type.Optional(
      Type.Enum([...COUNTER_NAMES], { type: 'string', description: 'Default: all that you may see' }),
    ),
    period: Type.Optional(
      Type.Enum([...COUNTER_PERIODS], {
        type: 'string',
        description: 'By the hour (the default), day or month, the current one included',
      }),
    ),
    brand: Type.Optional(BrandSchema),
    previous: Type.Optional(
      Type.Boolean({ description: 'Also say how much there was in the period before' }),
    ),
  },
  exactly,
)
const NumberSchema = Type.Integer({ minimum: 0 })
export const CountersSchema = Type.Object(
  {
    period: Type.Enum([...COUNTER_PERIODS], { type: 'string' }),
    brand: orNull(Text, 'Null: all that you may see'),
    unit: Type.Enum(['hour', 'day', 'month'], { type: 'string' }),
    counters: Type.Array(
      Type.Object(
        {
          name: Type.Enum([...COUNTER_NAMES], { type: 'string', title: 'CounterName' }),
          labels: Type.Array(Text, {
            description: 'What is told apart: outcomes, or for `refusals` the codes that were answered',
          }),
          buckets: Type.Array(
            Type.Object(
              {
                at: Type.String({ description: 'When it begins, in UTC' }),
                counts: Type.Record(Type.String(), NumberSchema, { description: 'By label' }),
              },
              { title: 'CounterBucket', ...exactly },
            ),
            { description: 'Oldest first, none is missing; the last one is not over' },
          ),
          previous: Type.Optional(
            orNull(
              Type.Record(Type.String(), NumberSchema),
              'By label, with `previous`: of as many buckets before. Null: not kept for so long',
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
    release: Type.String({ description: 'Of the node that answers' }),
    findings: Type.Array(
      Type.Object(
        {
          part: Type.String({
            description: '`schema`, `jobs`, `keys`, … : there may be others in a newer release',
          }),
          state: Type.Enum(['ok', 'attention', 'unknown'], {
            type: 'string',
            description: '`unknown`: it cannot be seen from the service, which is no fault',
          }),
          says: Type.String({ description: 'A sentence, with what to do if it needs attention' }),
        },
        { title: 'Finding', ...exactly },
      ),
    ),
  },
  { title: 'Status', ...exactly },
)
