/**
 * How many devices may wait for approval: of a model, and of these from each network. Without the second bound, one
 * stranger with the model assertion would take all places.
 */
import type { Networks } from '../../../addresses/address.ts'
import type { ModelName } from '../../../brands/models/model-policy.ts'
import { TooManyRequests } from '../../../errors.ts'
import type { WaitingStore } from './waiting-store.ts'

export interface WaitingPlaces {
  /** Of one model, from one address (IPv6: one /64). */
  readonly mostWaiting: number
}

/** Of one model. A device that was approved, rejected or removed leaves its place. */
const OF_MODEL = 10_000
/** How many times as many a network may have: an address, a /24 or /48, a /16 or /32. */
const SHARES = [
  ['narrow', 1],
  ['middle', 2],
  ['wide', 8],
] as const

interface Asking {
  readonly model: ModelName
  readonly networks: Networks
  /** Whether the device that asks is among those that are counted. */
  readonly counted: boolean
}

/**
 * Throws {@link TooManyRequests}, as busy: snapd gives up on any other refusal. Counts the narrowest network first, so
 * that refusing a flood takes little.
 */
export async function requirePlace(
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

/** snapd asks again after a minute. */
const RETRY_MS = 60_000

const full = (whose: string): TooManyRequests =>
  new TooManyRequests(RETRY_MS, {
    asBusy: true,
    what: `There are too many devices ${whose} that wait for approval.`,
  })
