/** Lists and finds the rules of the caller's own account. */
import type { AccountId } from '@ratafia/api'
import type { Authority } from '../../../authority.ts'
import { noSuchRecord, quote, type RequestError } from '../../../errors.ts'
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { isRuleName } from '../rule.ts'
import type { KnownRule } from '../rule-store.ts'

/** Sorted by name, which is also the position in the list. */
export async function listOwnRules(
  { authority, after, limit }: Paging<string> & { readonly authority: Authority },
  { rules }: TransactionStores,
): Promise<Page<KnownRule>> {
  const accountId = ownAccountId(authority)
  return pageOf(limit, (most) => rules.page({ accountId, issuerId: undefined, after, limit: most }))
}

/** Throws {@link RequestError} `no-such-record`, with the same message for a rule of another account. */
export async function findOwnRule(
  { authority, name }: { readonly authority: Authority; readonly name: string },
  { rules }: TransactionStores,
): Promise<KnownRule> {
  const accountId = ownAccountId(authority)
  // The name can be any string, even one that a database refuses.
  const found = isRuleName(name) ? await rules.find(name) : undefined
  if (found?.rule.accountId === accountId) return found
  throw noOwnRule(name)
}

export const noOwnRule = (name: string): RequestError =>
  noSuchRecord(`You have no rule ${quote(name.slice(0, 64))}.`, { kind: 'publisher', id: name.slice(0, 64) })

function ownAccountId({ accountId }: Authority): AccountId {
  if (accountId === undefined) throw new TypeError('only an account has rules of its own')
  return accountId
}
