/** Makes a device for the register. */
import { type DeviceId, newDeviceId } from '@ratafia/api'
import { bucketOf } from '../bucket.ts'
import type { Device, DeviceRef } from './device.ts'

/** The name in the register of the row with this id and device key. */
export const deviceRef = (id: DeviceId, deviceKeyId: string): DeviceRef => ({
  id,
  bucket: bucketOf(deviceKeyId),
})

/** A pending device with an id of its own; `known` sets the rest. */
export const newDevice = (
  known: Pick<Device, 'brandId' | 'model' | 'deviceKeyId' | 'origin' | 'registeredAt'> &
    Partial<Omit<Device, 'bucket'>>,
): Device => ({
  id: newDeviceId(known.registeredAt),
  bucket: bucketOf(known.deviceKeyId),
  serial: '',
  status: 'pending',
  revision: null,
  original: null,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  quarantinedAt: null,
  ...known,
})
