import { findAccount } from '../../../accounts/find.ts'
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { findIssuer } from '../../issuers/find.ts'
import type { KnownRule } from '../rule-store.ts'

/**
 * Lists all rules, or those of an account (username or id) or an issuer (URL or id), by name. Throws `invalid-field` if
 * there is no such account or issuer.
 */
export async function listRules(
  input: Paging<string> & { readonly account?: string | undefined; readonly issuer?: string | undefined },
  stores: TransactionStores,
): Promise<Page<KnownRule>> {
  const account = input.account === undefined ? undefined : await findAccount(input.account, stores)
  const issuer = input.issuer === undefined ? undefined : (await findIssuer(input.issuer, stores)).issuer
  return pageOf(input.limit, (limit) =>
    stores.rules.page({ accountId: account?.id, issuerId: issuer?.id, after: input.after, limit }),
  )
}
