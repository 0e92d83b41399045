/** Lists the devices on the allow-list of a model, and removes them. */
import { requireRecentPerson } from '../../../authority.ts'
import { changeUnlessDry } from '../../../change.ts'
import { invalidField } from '../../../errors.ts'
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { Stores, TransactionStores } from '../../../stores.ts'
import { managedModel, type NamedModel, seenModel } from '../find-model.ts'
import { showModelName } from '../model-policy.ts'
import type { AllowListEntry } from './allow-list-store.ts'

interface Removal extends NamedModel {
  /** A serial number stands for all its entries, a key for the entry without one, both for only that entry. */
  readonly entries: readonly AllowListEntry[] | 'all'
  /** Whether to only count what would be removed. */
  readonly dryRun?: boolean
  /** Whether to accept that nothing matches, for example because it was already removed. */
  readonly mayBeGone?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Removes all entries or none, and returns how many. Devices keep their serials. Throws {@link RequestError}
 * as `managedModel` does; `person-required` and `recent-sign-in-required` for all entries; and
 * `invalid-field` if nothing on the list matches, unless `mayBeGone` is set.
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

/** `model` has the form BRAND/MODEL. */
export const nothingMatches = (model: string) =>
  invalidField(
    `Nothing on the allow-list of ${model} matches, so nothing was removed. \`ratafia allow-list list --model ${model}\` shows it.`,
  )

/** An entry without either would be meaningless, and no database accepts these characters. */
function requireEntry({ serial, deviceKeyId }: AllowListEntry): void {
  if ((serial !== null || deviceKeyId !== null) && !/[\0\p{Cs}]/u.test(serial ?? '')) return
  throw invalidField('An entry has a serial number, the id of a device key, or both.', { field: 'entries' })
}

/** Returns entries sorted by serial number (those without one first) and key. Throws as {@link seenModel} does. */
export async function pageOfAllowed(
  { after, limit, ...named }: NamedModel & Paging<AllowListEntry>,
  stores: TransactionStores,
): Promise<Page<AllowListEntry>> {
  const model = await seenModel(named, stores)
  return pageOf(limit, (most) => stores.allowList.list(model, { after, limit: most }))
}

/** The entry as the API, `--json` and exports show it. */
export const allowListRecord = ({ serial, deviceKeyId }: AllowListEntry) => ({
  serial,
  device_key_id: deviceKeyId,
})
