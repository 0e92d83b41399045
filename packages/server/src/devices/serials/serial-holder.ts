/**
 * A serial belongs to one device key. The table `serial_holder` makes sure of it (serial-holder-store.ts); here is who
 * gives way to another key, and what the register then stores and records.
 */
import { encode, type UnverifiedAssertion } from '@ratafia/assertions'
import type { Details, Recording } from '../../change.ts'
import type { TransactionStores } from '../../stores.ts'
import { type Device, type DeviceRef, type SerialAssertion, showSerialName } from '../device.ts'
import { won } from '../lost-race.ts'

/**
 * Whether the policy lets another key take the holder's serial number. A device in quarantine keeps it: a new key would
 * be a way out.
 */
export const givesWay = (
  holder: Device,
  { takenSerial }: { readonly takenSerial: 'refuse' | 'reissue' },
): boolean => takenSerial === 'reissue' && holder.status === 'active' && holder.quarantinedAt === null

interface Taking {
  readonly deviceKeyId: string
  readonly at: Date
  /** Shown with the device that loses its serial. */
  readonly reason: string
}

/** On the transaction, before the serial goes to another key. Throws `LostRace` if the holder is no longer active. */
export async function supersedeHolder(
  holder: Device,
  { deviceKeyId, at, reason }: Taking,
  { devices, record }: TransactionStores & Recording,
): Promise<void> {
  won(await devices.supersede(holder, { at, by: 'policy', reason }))
  const details = { serial: showSerialName(holder), by: deviceKeyId }
  await record({ action: 'device.supersede', subject: holder.id, details })
}

/** The audit details of a device that gets a serial. */
export const givenSerial = (device: Device): Details => ({
  serial: showSerialName(device),
  revision: device.revision,
  'device-key': device.deviceKeyId,
})

/** A verified or signed serial as the register keeps it. */
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
  // Every type with an authority has one.
  authorityId: serial.authorityId ?? serial.fields.brandId,
  signingKeyId: serial.signKeyId,
})
