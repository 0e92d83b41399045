/** The operator rejects a device: its next poll gets the reason. */
import { invalidField } from '../../../errors.ts'
import { type Device, describeDevice } from '../../device.ts'
import { type DecideDeps, findDevice, type OperatorDecision } from '../../find-device.ts'
import { checkReason } from '../../reason.ts'

interface Rejection extends OperatorDecision {
  readonly reason: string
}

/** Throws `RequestError` `invalid-field` for a device that does not wait. */
export async function rejectDevice(
  { name, reason: given, by }: Rejection,
  deps: DecideDeps,
): Promise<Device> {
  const reason = checkReason(given)
  const at = deps.clock()
  const device = await findDevice(name, ['pending'], deps)
  const rejected = await deps.change(async ({ devices, record }) => {
    if (!(await devices.reject(device.id, { at, by, reason }))) return false
    await record({ action: 'device.reject', subject: device.id, details: { reason } })
    return true
  })
  if (rejected) {
    return { ...device, status: 'rejected', decidedAt: at, decidedBy: by, reason }
  }
  // Perhaps decided a moment ago.
  const now = (await deps.devices.findById(device.id)) ?? device
  const advice = now.status === 'active' ? ' To end its sessions, use `ratafia devices revoke`.' : ''
  throw invalidField(`${describeDevice(now)} is not waiting for a decision.${advice}`)
}
