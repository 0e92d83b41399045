/** Puts a new device into the register without a serial. It waits until the operator approves or rejects it. */
import { encode } from '@ratafia/assertions'
import { type Networks, networksOf } from '../../../addresses/address.ts'
import { type ModelName, showModelName } from '../../../brands/models/model-policy.ts'
import type { AuthoredStores } from '../../../change.ts'
import { registrationRefused, TooManyRequests } from '../../../errors.ts'
import { won } from '../../lost-race.ts'
import { type AllowedDevice, broughtBy, countApiKeyUse, policyStillAllows } from '../check-policy.ts'
import { pendingDevice, planRegistration } from '../issue-serial.ts'
import { useRequestId } from '../use-request-id.ts'
import type { WaitingStore } from './waiting-store.ts'

const MAX_PENDING_BYTES = 64 * 1024

export interface WaitDeps extends AuthoredStores, WaitingPlaces {}

/**
 * Throws `registration-refused` or `invalid-api-key`, `LostRace` if another request was faster, and `TooManyRequests`
 * if too many devices of the model, or from the network, are waiting.
 */
export async function waitForApproval(allowed: AllowedDevice, deps: WaitDeps): Promise<'wait'> {
  const { registration, model, proposed } = allowed
  const request = encode(registration.request)
  if (request.length > MAX_PENDING_BYTES) {
    throw registrationRefused(
      `The serial-request is larger than ${MAX_PENDING_BYTES / 1024} KiB, the limit for requests that wait for approval. Shorten its body.`,
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
    // Counted late, because all devices of the model wait for the lock on their key's row.
    const apiKey = await countApiKeyUse(allowed, at, stores)
    // Queued, so that each device sees those that came before it on any node.
    won(await stores.models.queue(model))
    await requirePlace({ model, networks, counted: true }, deps, stores.waiting)
    won(await policyStillAllows(allowed, stores))
    const own = { model: showModelName(model), 'device-key': device.deviceKeyId }
    const details = { ...own, ...apiKey, ...broughtBy(allowed) }
    await stores.record({ action: 'device.wait', subject: device.id, details })
  })
  return 'wait'
}

/**
 * How many devices can wait for approval: of a model, and of these from each network. Without the second
 * limit, one stranger with the model assertion could take every place.
 */
interface WaitingPlaces {
  /** The limit for one model and one address (IPv6: one /64). */
  readonly mostWaiting: number
}

/** The limit for one model. A device that was approved, rejected or removed gives up its place. */
const OF_MODEL = 10_000
/** Multiples of that limit for each network: an address, a /24 or /48, a /16 or /32. */
const SHARES = [
  ['narrow', 1],
  ['middle', 2],
  ['wide', 8],
] as const

interface Asking {
  readonly model: ModelName
  readonly networks: Networks
  /** Whether the registering device is already counted. */
  readonly counted: boolean
}

/**
 * Throws {@link TooManyRequests} as busy, because snapd gives up at any other refusal. Counts the narrowest
 * network first, so that refusing a flood is cheap.
 */
async function requirePlace(
  { model, networks, counted }: Asking,
  { mostWaiting }: WaitingPlaces,
  waiting: Pick<WaitingStore, 'count' | 'countIn'>,
): Promise<void> {
  const others = counted ? 0 : 1
  for (const [index, [width, share]] of SHARES.entries()) {
    const limit = share * mostWaiting
    const found = await waiting.countIn(model, networks[index] ?? '', width, limit + 1)
    if (found + others > limit) throw full('from your network')
  }
  if ((await waiting.count(model, OF_MODEL + 1)) + others > OF_MODEL) throw full('of this model')
}

/** snapd retries after a minute. */
const RETRY_MS = 60_000

const full = (whose: string): TooManyRequests =>
  new TooManyRequests(RETRY_MS, {
    asBusy: true,
    what: `Too many devices ${whose} are waiting for approval.`,
  })
