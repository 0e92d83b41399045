/** Resolves references to packages into snap ids, and finds ids that the directory doesn't know. */
import { RequestError } from '../errors.ts'
import type { TransactionStores } from '../stores.ts'

/** A reference as in the API, with at least one of the two fields. */
export interface PackageReference {
  readonly name?: string
  readonly snap_id?: string
}

/**
 * Returns the snap id of each reference, in their order, without repetition. The package directory resolves names; if
 * it is empty, it is not configured, and a name is its own id. Throws `package-not-found` for a name that is not in the
 * directory, or has a different id there than the given one.
 */
export async function resolvePackages(
  references: readonly PackageReference[],
  { packages }: TransactionStores,
): Promise<readonly string[]> {
  const names = references.flatMap(({ name }) => (name === undefined ? [] : [name]))
  const known = await packages.idsOf(names)
  const configured = known.size > 0 || (names.length > 0 && !(await packages.isEmpty()))
  const ids = references.map(({ name, snap_id: given }) => {
    const id = name === undefined ? undefined : known.get(name)
    if (name !== undefined && configured && id === undefined) {
      throw new RequestError('package-not-found', `No package is named ${JSON.stringify(name)}.`, {
        extra: { name },
      })
    }
    if (id !== undefined && given !== undefined && id !== given) {
      throw new RequestError(
        'package-not-found',
        `The package ${JSON.stringify(name)} has a different id than ${JSON.stringify(given)}. Use only the name or only the id.`,
        { extra: { name, snap_id: given } },
      )
    }
    const resolved = given ?? id ?? name
    if (resolved === undefined) throw new TypeError('a package reference needs a name or a snap_id')
    return resolved
  })
  return [...new Set(ids)]
}

/** Returns the ids that are not in the directory; none while the directory is empty. */
export async function unknownPackages(
  ids: readonly string[],
  { packages }: TransactionStores,
): Promise<readonly string[]> {
  const known = await packages.knownIds(ids)
  if (known.size === ids.length || (known.size === 0 && (await packages.isEmpty()))) return []
  return ids.filter((id) => !known.has(id))
}
