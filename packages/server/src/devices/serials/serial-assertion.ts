/** A verified or signed serial as the register keeps it. */
import { encode, type UnverifiedAssertion } from '@ratafia/assertions'
import type { DeviceRef, SerialAssertion } from '../device.ts'

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
