/** The management API route for the status of the service. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import { readStatus, type StatusDeps, type Surroundings } from './read-status.ts'

export function statusManagementRoutes(
  add: AddManagementRoute,
  {
    release,
    surroundings,
    ...deps
  }: StatusDeps & { readonly release: string; readonly surroundings: () => Promise<Surroundings> },
): void {
  add(MANAGEMENT_OPERATIONS.status, async ({ authority }) => ({
    release,
    findings: await readStatus({ authority, surroundings }, deps),
  }))
}
