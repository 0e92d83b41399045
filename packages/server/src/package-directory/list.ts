/** Reads the package directory, page by page. */
import { type Authority, requireForAll } from '../authority.ts'
import { pageOf } from '../page.ts'
import type { TransactionStores } from '../stores.ts'
import type { PackageEntry } from './package-store.ts'

export async function* listPackages(deps: TransactionStores): AsyncGenerator<PackageEntry> {
  const limit = 500
  for (let after: string | undefined; ; ) {
    const page = await deps.packages.list({ after, limit })
    yield* page
    after = page.at(-1)?.name
    if (page.length < limit) return
  }
}

interface PackageListing {
  readonly authority: Authority
  /** The name of the last one of the page before. */
  readonly after: string | undefined
  readonly limit: number
}

interface PackagePage {
  readonly packages: readonly PackageEntry[]
  /** Pass it as `after`; undefined on the last page. */
  readonly next: string | undefined
}

/** By name. Throws `RequestError` `permission-denied`. */
export async function pageOfPackages(
  { authority, after, limit }: PackageListing,
  { packages }: TransactionStores,
): Promise<PackagePage> {
  requireForAll(authority, 'status:read')
  const { rows: entries, next } = await pageOf(limit, (most) => packages.list({ after, limit: most }))
  return { packages: entries, next: next?.name }
}

/** As lists and the API show it. */
export const packageRecord = ({ name, snapId }: PackageEntry) => ({ name, snap_id: snapId })
