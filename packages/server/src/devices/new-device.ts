/** Creates devices for the register. */
import { type DeviceId, newDeviceId } from '@ratafia/api'
import { bucketOf } from '../bucket.ts'
import type { Device, DeviceRef } from './device.ts'

/** Returns the reference to the row with this id and device key. */
export const deviceRef = (id: DeviceId, deviceKeyId: string): DeviceRef => ({
  id,
  bucket: bucketOf(deviceKeyId),
})

/** Returns a pending device with a new id; `known` overrides the defaults. */
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
