/** The operations of the management API. Its routes, OpenAPI document and tests are made from this table. */
import { BRAND_OPERATIONS } from './brand-operations.ts'
import { DEVICE_OPERATIONS } from './device-operations.ts'
import { GRANT_OPERATIONS } from './grant-operations.ts'
import { MODEL_OPERATIONS } from './model-operations.ts'
import type { ManagementOperation } from './operation.ts'
import { SESSION_OPERATIONS } from './session-operations.ts'

export const MANAGEMENT_OPERATIONS = {
  ...SESSION_OPERATIONS,
  ...DEVICE_OPERATIONS,
  ...BRAND_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...GRANT_OPERATIONS,
} as const satisfies Record<string, ManagementOperation>
