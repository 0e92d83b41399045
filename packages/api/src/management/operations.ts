/** The operations of the management API. Its routes, OpenAPI document and tests are made from this table. */
import { ACCOUNT_OPERATIONS } from './account-operations.ts'
import { AUDIT_OPERATIONS } from './audit-operations.ts'
import { BRAND_OPERATIONS } from './brand-operations.ts'
import { DEVICE_OPERATIONS } from './device-operations.ts'
import { GRANT_OPERATIONS } from './grant-operations.ts'
import { JOB_OPERATIONS } from './job-operations.ts'
import { MODEL_OPERATIONS } from './model-operations.ts'
import type { ManagementOperation } from './operation.ts'
import { PUBLISHER_OPERATIONS } from './publisher-operations.ts'
import { SERVICE_OPERATIONS } from './service-operations.ts'
import { SESSION_OPERATIONS } from './session-operations.ts'

export const MANAGEMENT_OPERATIONS = {
  ...SESSION_OPERATIONS,
  ...PUBLISHER_OPERATIONS,
  ...DEVICE_OPERATIONS,
  ...BRAND_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...GRANT_OPERATIONS,
  ...JOB_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...SERVICE_OPERATIONS,
} as const satisfies Record<string, ManagementOperation>
