/** Takes devices off the allow-list of a model. */
import { changeUnlessDry } from '../../../change.ts'
import { invalidField } from '../../../errors.ts'
import type { BrandDeps } from '../../brand-deps.ts'
import { findModel } from '../find-model.ts'
import { type ModelName, showModelName } from '../model-policy.ts'
import type { AllowListEntry } from './allow-list-store.ts'

interface Removal {
  readonly model: ModelName
  /** For a serial number all its entries, for a key the one without a serial number, for both only that entry. */
  readonly entries: readonly AllowListEntry[] | 'all'
  /** Only counts what would be removed. */
  readonly dryRun?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * All or nothing; returns how many entries were removed. Devices keep the serials they have. Throws `invalid-field` if
 * there is no such model, or nothing on the list matches.
 */
export async function removeAllowed(
  { model, entries, dryRun = false, onProgress }: Removal,
  deps: Pick<BrandDeps, 'models' | 'change'>,
): Promise<number> {
  await findModel(model, deps)
  const subject = showModelName(model)
  const removed = await changeUnlessDry(dryRun, deps.change, async ({ allowList, record }) => {
    const count =
      entries === 'all'
        ? await allowList.clear(model)
        : await allowList.remove(model, entries, {
            onProgress: (done) => onProgress?.(done, entries.length),
          })
    if (count > 0) await record({ action: 'allow-list.remove', subject, details: { removed: count } })
    return count
  })
  if (removed > 0) return removed
  throw invalidField(
    `Nothing on the allow-list of ${subject} matches, so nothing was removed. \`ratafia allow-list list --model ${subject}\` shows it.`,
  )
}
