/** Who keeps a serial number that another device key asks for, and the audit entries about it. */
import type { AuditedChange, Details } from '../../change.ts'
import { type Device, showSerialName } from '../device.ts'

/**
 * Whether the policy lets another key take the holder's serial number. A device in quarantine keeps it: a new key would
 * be a way out.
 */
export const givesWay = (
  holder: Device,
  { takenSerial }: { readonly takenSerial: 'refuse' | 'reissue' },
): boolean => takenSerial === 'reissue' && holder.status === 'active' && holder.quarantinedAt === null

/** The audit entry of a holder whose serial number another device key has now. */
export const supersededBy = (holder: Device, deviceKeyId: string): AuditedChange => ({
  action: 'device.supersede',
  subject: holder.id,
  details: { serial: showSerialName(holder), by: deviceKeyId },
})

/** The audit details of a device that gets a serial. */
export const givenSerial = (device: Device): Details => ({
  serial: showSerialName(device),
  revision: device.revision,
  'device-key': device.deviceKeyId,
})
