/** The operator has looked at the evidence: the device may have sessions again. */
import type { Changing } from '../change.ts'
import { RequestError } from '../errors.ts'
import { type Device, describeDevice } from './device.ts'
import type { DeviceStore } from './device-store.ts'
import { type FindDeviceDeps, findDevice } from './find-device.ts'

interface ReleaseDeps {
  readonly devices: FindDeviceDeps['devices']
  readonly change: Changing<{ readonly devices: Pick<DeviceStore, 'setQuarantine'> }>
}

/** The evidence stays. Throws {@link RequestError} `invalid-field` for one that is not in quarantine. */
export async function releaseDevice(name: string, deps: ReleaseDeps): Promise<Device> {
  const device = await findDevice(name, ['active'], deps)
  const released = await deps.change(async ({ devices, record }) => {
    if (!(await devices.setQuarantine(device.id, null))) return false
    await record({ action: 'device.release', subject: device.id })
    return true
  })
  if (released) return { ...device, quarantinedAt: null }
  throw new RequestError('invalid-field', `${describeDevice(device)} is not in quarantine.`)
}
