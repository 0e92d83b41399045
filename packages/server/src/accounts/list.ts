/**
 * Lists accounts in the order of their usernames, a page at a time, in bounded work (contract/administration.md, A8).
 */
import { isUsername } from '@ratafia/api'
import { type Authority, requireForAll } from '../authority.ts'
import { invalidField } from '../errors.ts'
import { pageOf } from '../page.ts'
import type { TransactionStores } from '../stores.ts'
import type { Account } from './account.ts'
import type { AccountFilter } from './account-store.ts'

/** The maximum number of accounts on one page. */
const MAX_ACCOUNTS_PER_PAGE = 1000
/** The number of rows examined for a page at most, so a page can be short. */
const MOST_ROWS = 20_000

interface AccountListing {
  readonly authority: Authority
  readonly filter?: AccountFilter
  readonly after?: string | undefined
  readonly limit?: number
}

export interface AccountPage {
  readonly accounts: readonly Account[]
  /** Pass it as `after` to get the next page; undefined on the last one. */
  readonly next: string | undefined
  /** The number of examined rows, if the limit stopped the search; undefined otherwise. */
  readonly examined: number | undefined
}

/**
 * Returns a page of accounts. `limit` is clamped to 1 to {@link MAX_ACCOUNTS_PER_PAGE}. Throws {@link
 * RequestError} `permission-denied`, and `invalid-field` if `after` is not a username.
 */
export async function listAccounts(
  { authority, filter = {}, after, limit = 100 }: AccountListing,
  { accounts, mostRows = MOST_ROWS }: TransactionStores,
): Promise<AccountPage> {
  requireForAll(authority, 'accounts:read')
  if (after !== undefined && !isUsername(after)) {
    throw invalidField('"after" is not a username. Pass "next" from the previous page.')
  }
  const size = Math.min(Math.max(1, limit), MAX_ACCOUNTS_PER_PAGE)
  const last = await accounts.nth(mostRows, { after })
  const { rows, next } = await pageOf(size, (most) => accounts.page({ after, last, limit: most, filter }))
  if (next) return { accounts: rows, next: next.username, examined: undefined }
  return { accounts: rows, next: last, examined: last === undefined ? undefined : mostRows }
}
