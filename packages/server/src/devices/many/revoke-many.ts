/** Revokes many devices, a batch in one transaction. */

import type { Device } from '../device.ts'
import { type DecideDeps, type DeviceDecision, goneDevice } from '../find-device.ts'
import { checkReason } from '../reason.ts'
import { nothingToRevoke, recordRevocation } from '../revoke.ts'
import { done, failed, type ManyDecision, type Outcome } from './decide-many.ts'

interface Revocations extends Pick<DeviceDecision, 'authority'> {
  readonly reason?: string | undefined
  readonly dryRun: boolean
}

/** With `dryRun` nothing is stored. Throws `RequestError` `invalid-field` for a reason that cannot be shown. */
export function revokingMany(
  { authority, reason: given, dryRun }: Revocations,
  deps: DecideDeps,
): ManyDecision {
  const reason = given === undefined ? null : checkReason(given)
  const { by } = authority
  const change = deps.changeBy(authority.author)
  return {
    about: 'active',
    prefer: ['active', 'revoked'],
    becomes: 'revoked',
    needs: 'devices:manage',
    authority,
    decide: async (batch) => {
      const decision = { at: deps.clock(), by, reason }
      const revoked = dryRun
        ? new Set(batch.filter(({ status }) => status === 'active').map(({ id }) => id))
        : await change(async (stores) => {
            const ids = new Set<string>()
            for (const device of batch)
              if (await recordRevocation(device, decision, stores)) ids.add(device.id)
            return ids
          })
      const decided = { decidedAt: decision.at, decidedBy: by, reason }
      return Promise.all(
        batch.map(async (device): Promise<Outcome> => {
          if (!revoked.has(device.id)) return notRevoked(device, deps)
          return done(dryRun ? device : { ...device, ...decided, status: 'revoked' })
        }),
      )
    },
  }
}

async function notRevoked(found: Device, { devices }: DecideDeps): Promise<Outcome> {
  const device = await devices.findById(found.id)
  if (device?.status === 'revoked') return { result: 'already', name: found.id, device, message: null }
  return failed(found.id, device, device ? nothingToRevoke(device) : goneDevice(found))
}
