/** Reads the package directory, page by page. */
import type { PackageEntry, PackageStore } from './package-store.ts'

export async function* listPackages(deps: { readonly packages: PackageStore }): AsyncGenerator<PackageEntry> {
  const limit = 500
  for (let after: string | undefined; ; ) {
    const page = await deps.packages.list({ after, limit })
    yield* page
    after = page.at(-1)?.name
    if (page.length < limit) return
  }
}
