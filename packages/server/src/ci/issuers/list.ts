/** The issuers, for the operator. */
import type { FoundIssuer } from './issuer.ts'
import type { IssuerStore } from './issuer-store.ts'

/** All of them, by URL: an operator added each. */
export const listIssuers = ({
  issuers,
}: {
  readonly issuers: Pick<IssuerStore, 'list'>
}): Promise<readonly FoundIssuer[]> => issuers.list()
