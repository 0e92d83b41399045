/** Ends a quarantine: the operator has looked at the evidence, and the device may have sessions again. */
import { invalidField } from '../errors.ts'
import { type Device, describeDevice } from './device.ts'
import { type DecideDeps, findDevice } from './find-device.ts'

/** Keeps the evidence. Throws `RequestError` `invalid-field` for a device that is not in quarantine. */
export async function releaseDevice(name: string, deps: DecideDeps): Promise<Device> {
  const device = await findDevice(name, ['active'], deps)
  const released = await deps.change(async ({ devices, record }) => {
    if (!(await devices.setQuarantine(device, null))) return false
    await record({ action: 'device.release', subject: device.id })
    return true
  })
  if (released) return { ...device, quarantinedAt: null }
  throw invalidField(`${describeDevice(device)} is not in quarantine.`)
}
