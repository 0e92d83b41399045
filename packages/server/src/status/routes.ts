/** How the service is, in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { AddManagementRoute } from '../http/management/management-routes.ts'
import { serviceStatus } from './service-status.ts'

export function statusManagementRoutes(
  add: AddManagementRoute,
  { release, ...deps }: Parameters<typeof serviceStatus>[1] & { readonly release: string },
): void {
  add(MANAGEMENT_OPERATIONS.status, async ({ authority }) => ({
    release,
    findings: await serviceStatus({ authority }, deps),
  }))
}
