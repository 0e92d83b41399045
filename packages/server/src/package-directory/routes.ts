/** The management API route for the package directory. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import { cursorOf, positionIn } from '../http/management/pages.ts'
import type { TransactionStores } from '../stores.ts'
import { packageRecord, pageOfPackages } from './list.ts'

export function packageManagementRoutes(add: AddManagementRoute, stores: TransactionStores): void {
  add(MANAGEMENT_OPERATIONS.packages, async ({ authority, query }) => {
    const [after] = positionIn(query, 1) ?? []
    const { rows, next } = await pageOfPackages({ authority, after, limit: query.limit ?? 100 }, stores)
    return { packages: rows.map(packageRecord), next: cursorOf(next && [next.name], query) }
  })
}
