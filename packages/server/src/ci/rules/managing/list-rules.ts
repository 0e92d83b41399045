import { findAccount } from '../../../accounts/find.ts'
import { pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { findIssuer } from '../../issuers/find.ts'
import type { KnownRule } from '../rule-store.ts'

export interface RulePage {
  readonly rules: readonly KnownRule[]
  /** The `after` of the next page; absent on the last page. */
  readonly next: string | undefined
}

const MAX_RULES_PER_PAGE = 1000

/** All rules, or those of an account (username or id) or an issuer (URL or id). Throws `invalid-field` when there is no such account or issuer. */
export async function listRules(
  input: {
    readonly account?: string | undefined
    readonly issuer?: string | undefined
    readonly after?: string | undefined
    readonly limit?: number
  },
  deps: TransactionStores,
): Promise<RulePage> {
  const account = input.account === undefined ? undefined : await findAccount(input.account, deps)
  const issuer = input.issuer === undefined ? undefined : (await findIssuer(input.issuer, deps)).issuer
  const size = Math.min(Math.max(1, input.limit ?? 100), MAX_RULES_PER_PAGE)
  const { rows: rules, next } = await pageOf(size, (limit) =>
    deps.rules.page({ accountId: account?.id, issuerId: issuer?.id, after: input.after, limit }),
  )
  return { rules, next: next?.rule.name }
}
