/** A device that the register knows already: by the request-id it used, or by its key. */
import type { Clock } from '../../clock.ts'
import { RequestError } from '../../errors.ts'
import type { Device } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { won } from '../lost-race.ts'
import { staleNonce } from '../nonce.ts'
import { type Ask, type Outcome, registrationOf } from './registration.ts'
import type { RegistrationStore } from './registration-store.ts'

export interface FindRegisteredDeps {
  readonly devices: Pick<DeviceStore, 'findById' | 'findByKey' | 'serialAssertionsOf'>
  readonly registrations: Pick<RegistrationStore, 'find' | 'add'>
  readonly clock: Clock
}

/**
 * What this very request led to before; undefined when its request-id was not used. Throws {@link RequestError}
 * `invalid-nonce` when it was used for another request, `registration-refused` by what became of the device.
 */
export async function findRepeated(ask: Ask, deps: FindRegisteredDeps): Promise<Outcome | undefined> {
  const registration = await deps.registrations.find(ask.requestIdHash)
  if (!registration) return undefined
  if (Buffer.compare(registration.requestHash, ask.requestHash) !== 0) {
    throw staleNonce('request-id', 'used')
  }
  const device = await deps.devices.findById(registration.deviceId)
  // The row refers to it, and no device is ever removed.
  if (!device) throw new TypeError(`no device ${registration.deviceId}`)
  return outcomeOf(device, deps)
}

/**
 * What the key has, under a new request-id, which is used up by this. Undefined when the key is new, or its serial has
 * no assertion yet. Throws `LostRace` when the request-id was used meanwhile, and as {@link findRepeated}.
 */
export async function findByKey(ask: Ask, deps: FindRegisteredDeps): Promise<Outcome | undefined> {
  const device = await deps.devices.findByKey(ask.request.fields)
  const outcome = device && (await outcomeOf(device, deps))
  if (!outcome) return undefined
  won(await deps.registrations.add(registrationOf(ask, device, deps.clock())))
  return outcome
}

/** Undefined for a device that was imported without its assertion. */
async function outcomeOf(
  { id, status, reason }: Device,
  { devices }: FindRegisteredDeps,
): Promise<Outcome | undefined> {
  switch (status) {
    case 'active':
      return (await devices.serialAssertionsOf(id)).at(-1)
    case 'pending':
      return 'wait'
    case 'rejected':
      throw refused(`The operator rejected this device${reason ? `: ${reason}` : ''}`)
    case 'revoked':
      throw refused('This device is revoked: its key gets no serial of this model any more. Ask the operator')
    case 'superseded':
      throw refused(
        'Another device key has the serial number of this device now. Ask the operator, or make a new device key',
      )
  }
}

function refused(message: string): RequestError {
  return new RequestError('registration-refused', /[.!?]$/.test(message) ? message : `${message}.`)
}
