/** Rejects many devices, a batch in one transaction. */

import type { DecideDeps, OperatorDecision } from '../find-device.ts'
import { checkReason } from '../reason.ts'
import { notWaiting, recordRejection } from '../registration/approval/reject.ts'
import { done, failed, type ManyDecision } from './decide-many.ts'

interface Rejections extends Pick<OperatorDecision, 'by'> {
  readonly reason: string
  readonly dryRun: boolean
}

/** With `dryRun` nothing is stored. Throws `RequestError` `invalid-field` for a reason that cannot be shown. */
export function rejectingMany({ by, reason: given, dryRun }: Rejections, deps: DecideDeps): ManyDecision {
  const reason = checkReason(given)
  return {
    about: 'pending',
    prefer: ['pending'],
    becomes: 'rejected',
    decide: async (batch) => {
      const decision = { at: deps.clock(), by, reason }
      const rejected = dryRun
        ? new Set(batch.filter(({ status }) => status === 'pending').map(({ id }) => id))
        : await deps.change(async (stores) => {
            const ids = new Set<string>()
            for (const device of batch) {
              if (await recordRejection(device, decision, stores)) ids.add(device.id)
            }
            return ids
          })
      const decided = { decidedAt: decision.at, decidedBy: by, reason }
      return Promise.all(
        batch.map(async (device) => {
          if (!rejected.has(device.id)) return failed(device.id, device, await notWaiting(device, deps))
          return done(dryRun ? device : { ...device, ...decided, status: 'rejected' })
        }),
      )
    },
  }
}
