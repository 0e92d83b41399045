/** A verified or signed serial as the register keeps it. */
import { encode, type UnverifiedAssertion } from '@ratafia/assertions'
import type { Device, SerialAssertion } from './device.ts'

export const serialAssertion = (
  serial: UnverifiedAssertion<'serial'>,
  { id }: Pick<Device, 'id'>,
): SerialAssertion => ({
  brandId: serial.fields.brandId,
  model: serial.fields.model,
  serial: serial.fields.serial,
  revision: serial.revision,
  deviceId: id,
  encoded: encode(serial),
  // Every type with an authority has one.
  authorityId: serial.authorityId ?? serial.fields.brandId,
  signingKeyId: serial.signKeyId,
})
