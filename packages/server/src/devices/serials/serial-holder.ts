/**
 * A serial belongs to one device key, as the table `serial_holder` ensures (serial-holder-store.ts). This
 * module decides which holder loses its serial to another key, and what the register then stores and records.
 */
import { encode, type UnverifiedAssertion } from '@ratafia/assertions'
import type { Details, Recording } from '../../change.ts'
import type { TransactionStores } from '../../stores.ts'
import { type Device, type DeviceRef, type SerialAssertion, showSerialName } from '../device.ts'
import { won } from '../lost-race.ts'

/**
 * Checks whether the policy lets another key get the holder's serial number. A device in quarantine keeps it:
 * otherwise it could escape with a new key.
 */
export const givesWay = (
  holder: Device,
  { takenSerial }: { readonly takenSerial: 'refuse' | 'reissue' },
): boolean => takenSerial === 'reissue' && holder.status === 'active' && holder.quarantinedAt === null

interface Taking {
  readonly deviceKeyId: string
  readonly at: Date
  /** A sentence for the device that loses its serial. */
  readonly reason: string
}

/** Runs before the serial is given to another key. Throws `LostRace` if the holder is no longer active. */
export async function supersedeHolder(
  holder: Device,
  { deviceKeyId, at, reason }: Taking,
  { devices, record }: TransactionStores & Recording,
): Promise<void> {
  won(await devices.supersede(holder, { at, by: 'policy', reason }))
  const details = { serial: showSerialName(holder), by: deviceKeyId }
  await record({ action: 'device.supersede', subject: holder.id, details })
}

/** Returns the audit details of a device that gets a serial. */
export const givenSerial = (device: Device): Details => ({
  serial: showSerialName(device),
  revision: device.revision,
  'device-key': device.deviceKeyId,
})

/** Returns a verified or signed serial as the register keeps it. */
export const serialAssertion = (
  serial: UnverifiedAssertion<'serial'>,
  { id, bucket }: DeviceRef,
): SerialAssertion => ({
  brandId: serial.fields.brandId,
  model: serial.fields.model,
  serial: serial.fields.serial,
  revision: serial.revision,
  deviceId: id,
  bucket,
  encoded: encode(serial),
  // Every type that has authorities requires one.
  authorityId: serial.authorityId ?? serial.fields.brandId,
  signingKeyId: serial.signKeyId,
})
