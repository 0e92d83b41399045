/** Reads the package directory, page by page. */
import { type Authority, requireForAll } from '../authority.ts'
import { type Page, type Paging, pageOf } from '../page.ts'
import type { TransactionStores } from '../stores.ts'
import type { PackageEntry } from './package-store.ts'

export async function* listPackages({ packages }: TransactionStores): AsyncGenerator<PackageEntry> {
  const limit = 500
  for (let after: string | undefined; ; ) {
    const page = await packages.list({ after, limit })
    yield* page
    after = page.at(-1)?.name
    if (page.length < limit) return
  }
}

/** Returns a page sorted by name. Throws `permission-denied`. */
export async function pageOfPackages(
  { authority, after, limit }: Paging<string> & { readonly authority: Authority },
  { packages }: TransactionStores,
): Promise<Page<PackageEntry>> {
  requireForAll(authority, 'status:read')
  return pageOf(limit, (most) => packages.list({ after, limit: most }))
}

/** Returns the entry as lists and the API show it. */
export const packageRecord = ({ name, snapId }: PackageEntry) => ({ name, snap_id: snapId })
