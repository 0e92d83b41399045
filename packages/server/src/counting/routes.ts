/** Counts over time, in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import { countersRecord, listCounts } from './counts.ts'

export function counterManagementRoutes(
  add: AddManagementRoute,
  deps: Parameters<typeof listCounts>[1],
): void {
  add(MANAGEMENT_OPERATIONS.counters, async ({ authority, query }) => {
    const { name, period = '24h', brand: brandId, previous } = query
    return countersRecord(await listCounts({ authority, name, period, brandId, previous }, deps))
  })
}
