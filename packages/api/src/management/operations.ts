/** The operations of the management API. Its routes, OpenAPI document and tests all come from this table. */

import type { ManagementOperation } from './operation.ts'
import { ACCOUNT_OPERATIONS } from './operations/account-operations.ts'
import { AUDIT_OPERATIONS } from './operations/audit-operations.ts'
import { BRAND_OPERATIONS } from './operations/brand-operations.ts'
import { DEVICE_OPERATIONS } from './operations/device-operations.ts'
import { GRANT_OPERATIONS } from './operations/grant-operations.ts'
import { JOB_OPERATIONS } from './operations/job-operations.ts'
import { MODEL_OPERATIONS } from './operations/model-operations.ts'
import { PUBLISHER_OPERATIONS } from './operations/publisher-operations.ts'
import { SERVICE_OPERATIONS } from './operations/service-operations.ts'
import { SESSION_OPERATIONS } from './operations/session-operations.ts'

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
