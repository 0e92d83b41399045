/** Removes the oldest entries of the audit log, if configured. The chain then begins later. */
import type { Changing } from '../change.ts'

/** Removes one batch and returns its size. The removal itself is recorded. */
export function removeOldEntries(before: Date, limit: number, change: Changing): Promise<number> {
  return change(async ({ audit, record }) => {
    const { removed, last } = await audit.removeOldest(await audit.lockChain(), before, limit)
    if (last) {
      const details = { entries: removed, hash: last.hash }
      await record({ action: 'audit.remove', subject: String(last.seq), details })
    }
    return removed
  })
}
