/** Takes devices off the allow-list of a model. */
import { requireRecentPerson } from '../../../authority.ts'
import { changeUnlessDry } from '../../../change.ts'
import { invalidField } from '../../../errors.ts'
import type { Stores } from '../../../stores.ts'
import { managedModel, type NamedModel } from '../find-model.ts'
import { showModelName } from '../model-policy.ts'
import type { AllowListEntry } from './allow-list-store.ts'

interface Removal extends NamedModel {
  /** For a serial number all its entries, for a key the one without a serial number, for both only that entry. */
  readonly entries: readonly AllowListEntry[] | 'all'
  /** Only counts what would be removed. */
  readonly dryRun?: boolean
  /** Whether it is all right if nothing matches: somebody may have removed it before. */
  readonly mayBeGone?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * All or nothing; returns how many entries were removed. Devices keep the serials they have. Throws {@link RequestError}
 * as `managedModel` does; `person-required` and `recent-sign-in-required` for all entries; and `invalid-field` if nothing
 * on the list matches, unless it may be gone.
 */
export async function removeAllowed(
  { entries, dryRun = false, mayBeGone = false, onProgress, ...named }: Removal,
  stores: Stores,
): Promise<number> {
  const { authority } = named
  const model = await managedModel(named, stores)
  if (entries !== 'all') entries.forEach(requireEntry)
  if (entries === 'all') requireRecentPerson(authority, stores.clock())
  const subject = showModelName(model)
  const change = stores.changeBy(authority.author)
  const { removed } = await changeUnlessDry(dryRun, change, async ({ allowList, record }) => {
    const count =
      entries === 'all'
        ? await allowList.clear(model)
        : await allowList.remove(model, entries, {
            onProgress: (done) => onProgress?.(done, entries.length),
          })
    if (count > 0) await record({ action: 'allow-list.remove', subject, details: { removed: count } })
    return { removed: count }
  })
  if (removed > 0 || mayBeGone) return removed
  throw nothingMatches(subject)
}

/** `model`: as BRAND/MODEL. */
export const nothingMatches = (model: string) =>
  invalidField(
    `Nothing on the allow-list of ${model} matches, so nothing was removed. \`ratafia allow-list list --model ${model}\` shows it.`,
  )

/** One without either would stand for nothing, and no database takes these characters. */
function requireEntry({ serial, deviceKeyId }: AllowListEntry): void {
  if ((serial !== null || deviceKeyId !== null) && !/[\0\p{Cs}]/u.test(serial ?? '')) return
  throw invalidField('An entry has a serial number, the id of a device key, or both.', { field: 'entries' })
}
