/** The issuers, for the operator. */
import type { Stores, TransactionStores } from '../../stores.ts'
import type { FoundIssuer } from './issuer.ts'

/** For each issuer whose keys are fetched, how old they are, in seconds. */
export async function issuerKeyAges({ issuers, clock }: Stores) {
  const now = clock().getTime()
  return (await issuers.list())
    .filter(({ keys }) => keys.pinnedAt === undefined)
    .map(({ issuer, keys }) => ({
      issuer: issuer.url,
      age: Math.max(0, (now - keys.fetchedAt.getTime()) / 1000),
    }))
}

/** All of them, by URL: an operator added each. */
export const listIssuers = ({ issuers }: TransactionStores): Promise<readonly FoundIssuer[]> => issuers.list()
