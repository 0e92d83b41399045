/** Lists the accounts that the service trusts, and their keys. */
import type { UnverifiedAssertion } from '@ratafia/assertions'
import { BUILT_IN, rootAssertions, type TrustDeps } from './trust.ts'

export interface TrustRoot {
  readonly accountId: string
  readonly displayName: string
  readonly keyId: string
  readonly keyName: string | undefined
  readonly since: Date
  readonly until: Date | undefined
  /** Part of the program: it cannot be removed. */
  readonly builtIn: boolean
}

/** One row per key. */
export async function listTrustRoots(deps: Pick<TrustDeps, 'assertions'>): Promise<readonly TrustRoot[]> {
  const roots = await rootAssertions(deps)
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
