/** The operator rejects a device: it reads the reason with its next poll. */
import type { Changing } from '../../../change.ts'
import type { Clock } from '../../../clock.ts'
import { invalidField } from '../../../errors.ts'
import { type Device, describeDevice } from '../../device.ts'
import type { DeviceStore } from '../../device-store.ts'
import { findDevice } from '../../find-device.ts'
import { checkReason } from '../../reason.ts'

interface RejectDeps {
  readonly devices: DeviceStore
  readonly change: Changing<{ readonly devices: DeviceStore }>
  readonly clock: Clock
}

interface Rejection {
  /** As `findDevice` takes it. */
  readonly name: string
  readonly reason: string
  readonly by: string
}

/** Throws `RequestError` `invalid-field` for a device that does not wait. */
export async function rejectDevice(
  { name, reason: given, by }: Rejection,
  deps: RejectDeps,
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
  const advice = now.status === 'active' ? ' `ratafia devices revoke` ends what it has.' : ''
  throw invalidField(`${describeDevice(now)} does not wait for a decision.${advice}`)
}
