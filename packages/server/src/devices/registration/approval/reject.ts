/** The operator refuses a device: it reads the reason with its next poll. */
import type { Changing } from '../../../change.ts'
import type { Clock } from '../../../clock.ts'
import { RequestError } from '../../../errors.ts'
import { type Device, describeDevice } from '../../device.ts'
import type { DeviceStore } from '../../device-store.ts'
import { type FindDeviceDeps, findDevice } from '../../find-device.ts'
import { checkReason } from '../../reason.ts'

interface RejectDeps {
  readonly devices: FindDeviceDeps['devices']
  readonly change: Changing<{ readonly devices: Pick<DeviceStore, 'reject'> }>
  readonly clock: Clock
}

interface Rejection {
  /** As `findDevice` takes it. */
  readonly name: string
  readonly reason: string
  readonly by: string
}

/** Throws {@link RequestError} `invalid-field` for one that does not wait. */
export async function rejectDevice({ name, reason, by }: Rejection, deps: RejectDeps): Promise<Device> {
  const decision = { at: deps.clock(), by, reason: checkReason(reason) }
  const device = await findDevice(name, ['pending'], deps)
  const rejected = await deps.change(async ({ devices, record }) => {
    if (!(await devices.reject(device.id, decision))) return false
    await record({ action: 'device.reject', subject: device.id, details: { reason: decision.reason } })
    return true
  })
  if (rejected) {
    const { at, ...rest } = decision
    return { ...device, status: 'rejected', decidedAt: at, decidedBy: rest.by, reason: rest.reason }
  }
  // Perhaps decided a moment ago.
  const now = (await deps.devices.findById(device.id)) ?? device
  const advice = now.status === 'active' ? ' `ratafia devices revoke` ends what it has.' : ''
  throw new RequestError('invalid-field', `${describeDevice(now)} does not wait for a decision.${advice}`)
}
