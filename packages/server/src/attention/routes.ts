/** Everything that needs attention, in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import { type AttentionDeps, attentionRecord, readAttention } from './read-attention.ts'

export function attentionManagementRoutes(add: AddManagementRoute, deps: AttentionDeps): void {
  add(MANAGEMENT_OPERATIONS.attention, async ({ authority, query: { brand: brandId } }) =>
    attentionRecord(await readAttention({ authority, brandId }, deps)),
  )
}
