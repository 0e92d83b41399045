/**
 * A request-id works for one request, which may be repeated. A registration stores a row for it, whose primary key rules
 * out a second use.
 */
import type { Device } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { won } from '../lost-race.ts'
import { staleNonce } from '../nonce.ts'
import type { Registration } from './registration.ts'
import type { RegistrationStore } from './registration-store.ts'

/** Throws `LostRace` if another request was faster. */
export async function useRequestId(
  { requestIdHash, requestHash, caller }: Registration,
  { id }: Pick<Device, 'id'>,
  at: Date,
  { registrations }: { readonly registrations: RegistrationStore },
): Promise<void> {
  won(await registrations.add({ requestIdHash, requestHash, caller, deviceId: id, at }))
}

/**
 * The device that this very request led to; undefined for a request-id that was not used. Throws `RequestError`
 * `invalid-nonce` if another request used it.
 */
export async function deviceOfRequest(
  { requestIdHash, requestHash }: Registration,
  { registrations, devices }: { readonly registrations: RegistrationStore; readonly devices: DeviceStore },
): Promise<Device | undefined> {
  const use = await registrations.find(requestIdHash)
  if (!use) return undefined
  if (Buffer.compare(use.requestHash, requestHash) !== 0) throw staleNonce('request-id', 'used')
  // It may have been removed since, and then the row too.
  return devices.findById(use.deviceId)
}
