/**
 * Removes devices that have waited too long for a decision, which makes room for others. A device that still
 * exists registers again and goes back in the queue.
 */
import { showModelName } from '../../../brands/models/model-policy.ts'
import type { Changing } from '../../../change.ts'

/** Removes one batch and returns its size. The audit log gets an entry for each model. */
export function removeOldWaiting(before: Date, limit: number, change: Changing): Promise<number> {
  return change(async ({ waiting, record }) => {
    const removed = await waiting.removeOld(before, limit)
    for (const [subject, { length }] of Map.groupBy(removed, showModelName)) {
      await record({ action: 'devices.expire', subject, details: { removed: length } })
    }
    return removed.length
  })
}
