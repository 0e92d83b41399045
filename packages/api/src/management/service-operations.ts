/** The service as a whole in the management API: its package directory, and how it is. */

import { type ManagementOperation, SIGNED_IN } from './operation.ts'
import { PackagesSchema, PageQuerySchema, StatusSchema } from './schemas/index.ts'

const READING = { ...SIGNED_IN, method: 'GET', permission: 'status:read', errors: [] } as const

export const SERVICE_OPERATIONS = {
  packages: {
    ...READING,
    path: '/packages',
    summary:
      'The package directory, by name. While it is empty, the name of a package is used as its snap id',
    query: PageQuerySchema,
    response: PackagesSchema,
  },
  status: {
    ...READING,
    path: '/status',
    summary: 'What runs, and what needs attention, as the node that answers sees it',
    response: StatusSchema,
  },
} as const satisfies Record<string, ManagementOperation>
