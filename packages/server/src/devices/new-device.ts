/** Makes a device for the register. */
import { newDeviceId } from '@ratafia/api'
import type { Device } from './device.ts'

/** A pending device with an id of its own; `known` sets the rest. */
export const newDevice = (
  known: Pick<Device, 'brandId' | 'model' | 'deviceKeyId' | 'origin' | 'registeredAt'> & Partial<Device>,
): Device => ({
  id: newDeviceId(),
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
