/** Stops trusting an account. */
import { AssertionError, trustRoots, verifyTrust } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../../authority.ts'
import { invalidField, noSuchRecord } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { BUILT_IN, findAssertion, rootAssertions, trustContext } from './trust.ts'

/**
 * Removes an account and its keys from the roots. Returns the brands whose keys lose their trust: the service
 * can no longer sign for them. Throws `permission-denied`, `no-such-record`, and `invalid-field` if the root is
 * built in, and, without `force`, if there are such brands.
 */
export async function removeTrustRoot(
  {
    accountId,
    force,
    authority,
  }: { readonly accountId: string; readonly force: boolean; readonly authority: Authority },
  stores: Stores,
): Promise<readonly string[]> {
  requireForAll(authority, 'roles:manage')
  if (BUILT_IN.some(({ primaryKey }) => primaryKey[0] === accountId)) {
    throw invalidField(
      `The trust root ${accountId} is built in and cannot be removed. The service signs nothing for it unless you add a key.`,
    )
  }
  const rest = (await rootAssertions(stores)).filter(
    ({ fields }) => !('accountId' in fields) || fields.accountId !== accountId,
  )
  const before = await trustedBrands(stores)
  const after = await trustedBrands(stores, trustRoots(rest))
  const lost = before.filter((brand) => !after.includes(brand))
  if (lost.length > 0 && !force) {
    throw invalidField(
      `${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} trusted only through ${accountId}. Without it, ${lost.length === 1 ? 'its' : 'their'} serials can't be signed. --force removes it anyway.`,
    )
  }
  const removed = await stores.changeBy(authority.author)(async ({ assertions, record }) => {
    const there = await assertions.removeRoot(accountId)
    if (there) await record({ action: 'trust.remove', subject: accountId, details: { untrusted: lost } })
    return there
  })
  if (!removed) {
    throw noSuchRecord(
      `There is no trust root ${accountId.slice(0, 64)}. \`ratafia trust list\` shows them.`,
      { kind: 'trust-root', id: accountId },
    )
  }
  return lost
}

/** Returns the accounts with an enabled key whose chain reaches these roots. */
async function trustedBrands(
  stores: Stores,
  roots?: ReturnType<typeof trustRoots>,
): Promise<readonly string[]> {
  const context = await trustContext(stores, [], roots)
  const trusted = new Set<string>()
  for (const { keyId, accountId, disabledAt } of await stores.brands.keys()) {
    const key = disabledAt === null ? await findAssertion('account-key', [keyId], stores) : undefined
    if (key === undefined) continue
    try {
      await verifyTrust(key, context)
      trusted.add(accountId)
    } catch (error) {
      if (!(error instanceof AssertionError)) throw error
    }
  }
  return [...trusted]
}
