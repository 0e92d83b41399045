/** Lists accounts in the order of their usernames, a page at a time. */
import { isUsername } from '@ratafia/api'
import { invalidField } from '../errors.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'

/** The most accounts on one page. */
const MAX_ACCOUNTS_PER_PAGE = 1000

export interface AccountPage {
  readonly accounts: readonly Account[]
  /** Pass it as `after` to get the next page; undefined on the last one. */
  readonly next: string | undefined
}

/** `limit` is clamped to 1 to {@link MAX_ACCOUNTS_PER_PAGE}. Throws `invalid-field` when `after` is not a username. */
export async function listAccounts(
  { after, limit = 100 }: { readonly after?: string | undefined; readonly limit?: number },
  deps: { readonly accounts: AccountStore },
): Promise<AccountPage> {
  if (after !== undefined && !isUsername(after)) {
    throw invalidField('"after" is not a username. Pass the "next" of the page before.')
  }
  const size = Math.min(Math.max(1, limit), MAX_ACCOUNTS_PER_PAGE)
  // One more than asked for tells whether there is a next page.
  const found = await deps.accounts.page({ after, limit: size + 1 })
  const accounts = found.slice(0, size)
  return { accounts, next: found.length > size ? accounts.at(-1)?.username : undefined }
}
