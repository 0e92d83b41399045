/** Counts what an import of packages would change. */
import { requireForAll } from '../authority.ts'
import type { TransactionStores } from '../stores.ts'
import { type ImportOptions, readPackages } from './import.ts'
import { listPackages } from './list.ts'

export interface ImportPlan {
  readonly added: number
  /** Packages with another snap id, and snap ids with a different name. */
  readonly changed: number
  readonly removed: number
  readonly unchanged: number
}

/** Changes nothing. Throws `permission-denied`, like the import, and `ImportError`. */
export async function planImport(
  text: string,
  { format, replaceAll, authority }: Pick<ImportOptions, 'format' | 'replaceAll' | 'authority'>,
  stores: TransactionStores,
): Promise<ImportPlan> {
  requireForAll(authority, 'roles:manage')
  const entries = readPackages(text, format)
  const byName = new Map(entries.map(({ name, snapId }) => [name, snapId]))
  const byId = new Map(entries.map(({ name, snapId }) => [snapId, name]))
  let present = 0
  let unchanged = 0
  let met = 0
  const changed = new Set<string>()
  for await (const { name, snapId } of listPackages(stores)) {
    present += 1
    if (byName.get(name) === snapId) {
      unchanged += 1
      continue
    }
    // A row of the file replaces up to two packages: the one with its name, and the one with its id.
    const replacements = [byName.has(name) ? name : undefined, byId.get(snapId)].filter(
      (each) => each !== undefined,
    )
    if (replacements.length > 0) met += 1
    for (const each of replacements) changed.add(each)
  }
  return {
    added: entries.length - unchanged - changed.size,
    changed: changed.size,
    removed: Math.max(0, met - changed.size) + (replaceAll ? present - unchanged - met : 0),
    unchanged,
  }
}
