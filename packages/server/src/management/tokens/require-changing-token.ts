/** A read-only token changes nothing, not even what belongs to its own account (contract/administration.md, B4). */
import { isChange, MANAGEMENT_OPERATIONS, type ManagementOperation } from '@ratafia/api/schemas'
import { RequestError } from '../../errors.ts'
import type { ManagerAuthority } from './manager.ts'

interface Wanted {
  readonly authority: Pick<ManagerAuthority, 'manager'>
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * What takes a permission is refused for that: a read-only token has none to change anything. Logging out is left to it:
 * whoever has a token may end it. Throws {@link RequestError} `permission-denied`.
 */
export function requireChangingToken(
  operation: ManagementOperation,
  { authority: { manager }, parameters: { id } }: Wanted,
): void {
  const { minted, limits, sessionId } = manager
  if (!isChange(operation) || operation.permission !== undefined) return
  if (!minted.readOnly && !limits.some(({ readOnly }) => readOnly)) return
  if (operation === MANAGEMENT_OPERATIONS.revokeMyToken && id === sessionId) return
  throw new RequestError('permission-denied', 'Your token only reads. Log in again without that limit.', {
    extra: { needs: null, brand: null },
  })
}
