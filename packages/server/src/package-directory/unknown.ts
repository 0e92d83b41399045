/** Which packages of a token the package directory does not know, or no longer. */
import type { PackageStore } from './package-store.ts'

/** Those of the ids that are in no entry of the directory; none while the directory is empty. */
export async function unknownPackages(
  ids: readonly string[],
  { packages }: { readonly packages: PackageStore },
): Promise<readonly string[]> {
  const known = await packages.knownIds(ids)
  if (known.size === ids.length || (known.size === 0 && (await packages.isEmpty()))) return []
  return ids.filter((id) => !known.has(id))
}
