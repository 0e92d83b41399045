/** The answer that the register already has for a registration, by its request-id or its key. */
import { registrationRefused } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Device } from '../device.ts'
import type { Registration, RegistrationResult } from './registration.ts'
import { deviceOfRequest, useRequestId } from './use-request-id.ts'

/** By the request-id, then by the key. Throws as {@link outcomeOfRequest} and {@link outcomeOfKey} do. */
export async function standingOutcome(
  registration: Registration,
  deps: Stores,
): Promise<RegistrationResult | undefined> {
  return (await outcomeOfRequest(registration, deps)) ?? (await outcomeOfKey(registration, deps))?.result
}

/**
 * The earlier result of this very request; undefined if its request-id was not used. Throws `RequestError`
 * `invalid-nonce` if another request used it, `registration-refused` by the status of the device.
 */
export async function outcomeOfRequest(
  registration: Registration,
  deps: Stores,
): Promise<RegistrationResult | undefined> {
  const device = await deviceOfRequest(registration, deps)
  return device && outcomeOf(device, deps)
}

export interface KnownKey {
  readonly device: Device
  /** Undefined for a device that was imported without its assertion: it gets one now. */
  readonly result: RegistrationResult | undefined
}

/**
 * What the key has, for a new request-id, which a result uses up. Undefined for a new key. Throws `LostRace` if the
 * request-id was used in the meantime, `RequestError` `registration-refused` by the status of the device.
 */
export async function outcomeOfKey(registration: Registration, deps: Stores): Promise<KnownKey | undefined> {
  const device = await deps.devices.findByKey(registration.request.fields)
  if (!device) return undefined
  const result = await outcomeOf(device, deps)
  if (result) await useRequestId(registration, device, deps.clock(), deps)
  return { device, result }
}

async function outcomeOf(
  device: Device,
  { devices }: TransactionStores,
): Promise<RegistrationResult | undefined> {
  const { status, reason } = device
  switch (status) {
    case 'active':
      return devices.findSerialAssertion(device)
    case 'pending':
      return 'wait'
    case 'rejected':
      throw registrationRefused(asSentence(`The operator rejected this device${reason ? `: ${reason}` : ''}`))
    case 'revoked':
      throw registrationRefused(
        'This device is revoked: its key can no longer get a serial of this model. Ask the operator.',
      )
    case 'superseded':
      throw registrationRefused(
        'Another device key has the serial number of this device now. Ask the operator, or make a new device key.',
      )
  }
}

/** A reason may end with a full stop of its own. */
const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
