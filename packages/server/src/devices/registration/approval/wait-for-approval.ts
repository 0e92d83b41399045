/** Puts a new device into the register without a serial: it waits until the operator approves or rejects it. */
import { encode } from '@ratafia/assertions'
import { networksOf } from '../../../addresses/address.ts'
import { showModelName } from '../../../brands/models/model-policy.ts'
import type { AuthoredStores } from '../../../change.ts'
import { registrationRefused } from '../../../errors.ts'
import { won } from '../../lost-race.ts'
import { type AllowedDevice, broughtBy, countApiKeyUse, policyStillAllows } from '../check-policy.ts'
import { pendingDevice, planRegistration } from '../issue-serial.ts'
import { useRequestId } from '../use-request-id.ts'
import { requirePlace, type WaitingPlaces } from './waiting-places.ts'

const MAX_PENDING_BYTES = 64 * 1024

export interface WaitDeps extends AuthoredStores, WaitingPlaces {}

/**
 * Throws `RequestError` `registration-refused` or `invalid-api-key`, `LostRace` if another request was faster, and
 * `TooManyRequests` if too many devices of the model, or of the network, wait.
 */
export async function waitForApproval(allowed: AllowedDevice, deps: WaitDeps): Promise<'wait'> {
  const { registration, model, proposed } = allowed
  const request = encode(registration.request)
  if (request.length > MAX_PENDING_BYTES) {
    throw registrationRefused(
      `The serial-request is larger than ${MAX_PENDING_BYTES / 1024} KiB, the most that can wait for approval. Shorten its body.`,
    )
  }
  const networks = networksOf(registration.caller.address)
  await requirePlace({ model, networks, counted: false }, deps, deps.waiting)
  if (proposed !== undefined) await planRegistration(allowed, deps)
  const at = deps.clock()
  const device = { ...pendingDevice(registration, model, at), serial: proposed ?? '' }
  await deps.change(async (stores) => {
    won(await stores.waiting.add(device, request, networks))
    await useRequestId(registration, device, at, stores)
    // Late: all devices of the model wait for the row of their key.
    const apiKey = await countApiKeyUse(allowed, at, stores)
    // One after the other, so that each sees the devices that came before it on any node.
    won(await stores.models.queue(model))
    await requirePlace({ model, networks, counted: true }, deps, stores.waiting)
    won(await policyStillAllows(allowed, stores))
    const own = { model: showModelName(model), 'device-key': device.deviceKeyId }
    const details = { ...own, ...apiKey, ...broughtBy(allowed) }
    await stores.record({ action: 'device.wait', subject: device.id, details })
  })
  return 'wait'
}
