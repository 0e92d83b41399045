/** The service as a whole in the management API: its package directory, and how it is. */

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
      'The package directory, by name. While it is empty, the name of a package is used as its snap id',
    query: PageQuerySchema,
    response: PackagesSchema,
  },
  counters: {
    ...MANAGEMENT_ROUTES.counters,
    ...SIGNED_IN,
    summary: 'How often something happened in the hours of a day, the days of a month, the months of a year',
    description:
      '`registrations`, `device-sessions` and `store-questions` are of the brands that the caller may see. `token-uses`, `logins` and `refusals` are of the whole service, and take `audit:read` too. Each process stores what it has counted every minute. Only the first 200 brands are counted apart. `previous` adds what was counted in as many hours or days before; for a year it is null.',
    permission: 'devices:read',
    errors: [],
    query: CountersQuerySchema,
    response: CountersSchema,
  },
  attention: {
    ...MANAGEMENT_ROUTES.attention,
    ...SIGNED_IN,
    summary: 'What waits for somebody: devices, keys and tokens that end, jobs that failed',
    description:
      'Each part is of what the caller may read, and of the brands that they may see. Nothing of it is counted in large tables.',
    permission: 'devices:read',
    errors: [],
    query: AttentionQuerySchema,
    response: AttentionSchema,
  },
  status: {
    ...MANAGEMENT_ROUTES.status,
    ...READING,
    summary: 'What runs, and what needs attention, as the node that answers sees it',
    response: StatusSchema,
  },
} as const satisfies Record<string, ManagementOperation>
