/** Lists the accounts that the service trusts, and their keys. */
import type { UnverifiedAssertion } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import { BUILT_IN, rootAssertions } from './trust.ts'

export interface TrustRoot {
  readonly accountId: string
  readonly displayName: string
  readonly keyId: string
  readonly keyName: string | undefined
  readonly since: Date
  readonly until: Date | undefined
  /** Whether it is part of the program, and can't be removed. */
  readonly builtIn: boolean
}

/** Returns one row per key: the operator adds a handful. Throws `permission-denied`. */
export async function listTrustRoots(authority: Authority, stores: Stores): Promise<readonly TrustRoot[]> {
  requireForAll(authority, 'roles:read')
  const roots = await rootAssertions(stores)
  const accounts = roots.filter((root): root is UnverifiedAssertion<'account'> => root.type === 'account')
  const keys = roots.filter((root): root is UnverifiedAssertion<'account-key'> => root.type === 'account-key')
  return keys.map((key) => {
    const { accountId, publicKeyId, name, since, until } = key.fields
    const account = accounts.find(({ fields }) => fields.accountId === accountId)
    return {
      accountId,
      displayName: account?.fields.displayName ?? accountId,
      keyId: publicKeyId,
      keyName: name,
      since,
      until,
      builtIn: BUILT_IN.includes(key),
    }
  })
}

/** The root as the API and `--json` show it. Times are RFC 3339 in UTC. */
export const trustRootRecord = (root: TrustRoot) => ({
  account_id: root.accountId,
  display_name: root.displayName,
  key_name: root.keyName ?? null,
  since: root.since.toISOString(),
  until: root.until?.toISOString() ?? null,
  origin: root.builtIn ? ('built in' as const) : ('added' as const),
  key_id: root.keyId,
})
