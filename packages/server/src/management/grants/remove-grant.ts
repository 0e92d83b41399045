/** Removes a role from an account. Within a second, no node allows what the role allowed. */
import { type Authority, requireForAll, requireRecentPerson } from '../../authority.ts'
import { noSuchRecord, stateConflict } from '../../errors.ts'
import { type GrantKey, grantId, type ListedGrant } from '../../grants/grant.ts'
import { requireOtherOperator } from '../../grants/last-operator.ts'
import type { Stores } from '../../stores.ts'

interface Removal {
  readonly grant: GrantKey
  readonly authority: Authority
  /** Throws `version-mismatch` for a grant other than the one that the caller has seen. */
  readonly mustBeSeen?: ((now: ListedGrant) => void) | undefined
}

/**
 * Returns the removed grant. Throws `permission-denied`, `person-required`, `recent-sign-in-required`,
 * `no-such-record`, `state-conflict` for the caller's own role operator, `last-operator`.
 */
export async function removeGrant(
  { grant, authority, mustBeSeen }: Removal,
  { grants, changeBy, clock }: Stores,
): Promise<ListedGrant> {
  const now = clock()
  requireForAll(authority, 'roles:manage')
  requireRecentPerson(authority, now)
  const found = await grants.find(grant)
  if (!found) throw noSuchGrant(grant)
  mustBeSeen?.(found)
  const isOperator = found.role === 'operator'
  if (isOperator && authority.accountId === found.accountId) {
    throw stateConflict('You cannot remove your own role operator. Ask another operator to do it.')
  }
  return changeBy(authority.author)(async (on) => {
    if (isOperator) await requireOtherOperator(found.accountId, on, now)
    if (!(await on.grants.remove(grant))) throw noSuchGrant(grant)
    await on.record({
      action: 'grant.remove',
      subject: found.username,
      details: { grant: found.role, brand: found.brandId ?? null },
    })
    return found
  })
}

const noSuchGrant = (grant: GrantKey) =>
  noSuchRecord('There is no such grant. `ratafia grants list` shows them.', {
    kind: 'grant',
    id: grantId(grant),
  })
