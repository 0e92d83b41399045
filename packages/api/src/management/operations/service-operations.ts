/** Operations on the service as a whole: its package directory and its condition. */

import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import {
  AttentionQuerySchema,
  AttentionSchema,
  CountersQuerySchema,
  CountersSchema,
  PackagesSchema,
  PageQuerySchema,
  StatusSchema,
} from '../schemas/index.ts'

const READING = { ...SIGNED_IN, permission: 'status:read', errors: [] } as const

export const SERVICE_OPERATIONS = {
  packages: {
    ...MANAGEMENT_ROUTES.packages,
    ...READING,
    summary:
      'Lists the package directory, by name; while it is empty, the name of a package is used as its snap id',
    query: PageQuerySchema,
    response: PackagesSchema,
  },
  counters: {
    ...MANAGEMENT_ROUTES.counters,
    ...SIGNED_IN,
    summary: 'Counts events in the hours of a day, the days of a month, or the months of a year',
    description:
      '`registrations`, `device-sessions` and `store-questions` cover the brands that the caller can see. `token-uses`, `logins` and `refusals` cover the whole service, and also require `audit:read`. Each process stores its counts every minute. Only the first 200 brands are counted separately. `previous` adds the counts of the same number of hours or days before; for a year it is null.',
    permission: 'devices:read',
    errors: [],
    query: CountersQuerySchema,
    response: CountersSchema,
  },
  attention: {
    ...MANAGEMENT_ROUTES.attention,
    ...SIGNED_IN,
    summary: 'Returns what needs attention: pending devices, keys and tokens that expire soon, failed jobs',
    description:
      'Each part requires its own read permission, and covers the brands that the caller can see. Nothing is counted in large tables.',
    permission: 'devices:read',
    errors: [],
    query: AttentionQuerySchema,
    response: AttentionSchema,
  },
  status: {
    ...MANAGEMENT_ROUTES.status,
    ...READING,
    summary:
      'Returns the condition of the service and what needs attention, as seen by the node that answers',
    response: StatusSchema,
  },
} as const satisfies Record<string, ManagementOperation>
