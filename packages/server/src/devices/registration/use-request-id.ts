/**
 * A request-id works for one request, which can be repeated. A registration stores a row for it, and another row that
 * prevents its use by any other device key: a proof of the hardware contains only the request-id (check-hardware.ts).
 */
import type { TransactionStores } from '../../stores.ts'
import type { Device, DeviceRef } from '../device.ts'
import { won } from '../lost-race.ts'
import { staleNonce } from '../nonce.ts'
import type { Registration } from './read-registration.ts'

/** Throws `LostRace` if another request was faster, and `invalid-nonce` if another key used the request-id. */
export async function useRequestId(
  { requestIdHash, requestHash, caller }: Registration,
  { id, bucket }: DeviceRef,
  at: Date,
  { registrations }: TransactionStores,
): Promise<void> {
  const use = { requestIdHash, requestHash, caller, deviceId: id, bucket, at }
  const outcome = await registrations.add(use)
  if (outcome === 'taken') throw staleNonce('request-id', 'used')
  won(outcome === 'stored')
}

/**
 * Returns the device that this request led to; undefined for a request-id that this key has not used. Throws
 * `invalid-nonce` if the key used it for another request.
 */
export async function deviceOfRequest(
  { request, requestIdHash, requestHash }: Registration,
  { registrations, devices }: TransactionStores,
): Promise<Device | undefined> {
  const use = await registrations.find(requestIdHash, request.fields.deviceKeyId)
  if (!use) return undefined
  if (Buffer.compare(use.requestHash, requestHash) !== 0) throw staleNonce('request-id', 'used')
  // The device may have been removed since, and its row with it.
  return devices.find({ id: use.deviceId, bucket: use.bucket })
}
