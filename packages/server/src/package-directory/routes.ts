/** The package directory in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { AddManagementRoute } from '../http/management/management-routes.ts'
import { cursorOf, positionIn } from '../http/management/pages.ts'
import { packageRecord, pageOfPackages } from './list.ts'

export function packageManagementRoutes(
  add: AddManagementRoute,
  deps: Parameters<typeof pageOfPackages>[1],
): void {
  add(MANAGEMENT_OPERATIONS.packages, async ({ authority, query }) => {
    const [after] = positionIn(query, 1) ?? []
    const { packages, next } = await pageOfPackages({ authority, after, limit: query.limit ?? 100 }, deps)
    return {
      packages: packages.map(packageRecord),
      next: next === undefined ? null : cursorOf([next], query),
    }
  })
}
