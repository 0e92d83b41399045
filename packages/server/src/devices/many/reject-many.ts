/** Rejects many devices, a batch in one transaction. */

import { type DecideDeps, type DeviceDecision, goneDevice } from '../find-device.ts'
import { checkReason } from '../reason.ts'
import { notWaiting, recordRejection } from '../registration/approval/reject.ts'
import { done, failed, type ManyDecision } from './decide-many.ts'

interface Rejections extends Pick<DeviceDecision, 'authority'> {
  readonly reason: string
  readonly dryRun: boolean
}

/** With `dryRun` nothing is stored. Throws `RequestError` `invalid-field` for a reason that cannot be shown. */
export function rejectingMany(
  { authority, reason: given, dryRun }: Rejections,
  deps: DecideDeps,
): ManyDecision {
  const reason = checkReason(given)
  const { by } = authority
  const change = deps.changeBy(authority.author)
  return {
    about: 'pending',
    prefer: ['pending'],
    becomes: 'rejected',
    needs: 'devices:decide',
    authority,
    decide: async (batch) => {
      const decision = { at: deps.clock(), by, reason }
      const rejected = dryRun
        ? new Set(batch.filter(({ status }) => status === 'pending').map(({ id }) => id))
        : await change(async (stores) => {
            const ids = new Set<string>()
            for (const device of batch) {
              if (await recordRejection(device, decision, stores)) ids.add(device.id)
            }
            return ids
          })
      const decided = { decidedAt: decision.at, decidedBy: by, reason }
      return Promise.all(
        batch.map(async (device) => {
          if (!rejected.has(device.id)) {
            const now = await deps.devices.find(device)
            return failed(device.id, device, now ? notWaiting(now) : goneDevice(device))
          }
          return done(dryRun ? device : { ...device, ...decided, status: 'rejected' })
        }),
      )
    },
  }
}
