import type { TransactionStores } from '../stores.ts'

/** Returns the ids that are not in the directory; none while the directory is empty. */
export async function unknownPackages(
  ids: readonly string[],
  { packages }: TransactionStores,
): Promise<readonly string[]> {
  const known = await packages.knownIds(ids)
  if (known.size === ids.length || (known.size === 0 && (await packages.isEmpty()))) return []
  return ids.filter((id) => !known.has(id))
}
