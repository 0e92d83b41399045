import { bindDischarge } from '../bind-discharge.ts'
import { DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type { Macaroon, UnverifiedSlice } from '../macaroon.ts'
import { type BakeryMacaroon, caveatPayload } from './bakery-macaroon.ts'
import { dischargeLocal } from './discharge.ts'
import { BakeryError } from './errors.ts'
import type { KeyPair } from './key-pair.ts'

/** A third-party caveat that needs a discharge. */
export interface DischargeNeed {
  readonly id: Uint8Array
  /** The payload to send along (`caveat64`); undefined when the id contains it. */
  readonly caveat: Uint8Array | undefined
  /** Where to ask. Not signed: any earlier holder of the macaroon may have changed it. */
  readonly location: string
}

/** Gets one discharge, for instance over HTTP. */
export type GetDischarge = (need: DischargeNeed) => BakeryMacaroon | Promise<BakeryMacaroon>

export interface DischargeAllOptions {
  /** Answers caveats with location `local`; without it they go to `getDischarge` like all others. */
  readonly localKeyPair?: KeyPair
  /** Only `macaroons` counts here: more are not asked for. */
  readonly limits?: Limits
}

/**
 * Gets a discharge for every third-party caveat of `root` and of the discharges themselves, one after the other, and
 * binds them to the root: the result is what is sent to the service. Rejects with {@link BakeryError} `wrong-discharge`
 * or `limit-exceeded`, what `dischargeLocal` throws, and what `getDischarge` throws.
 */
export async function dischargeAll(
  root: BakeryMacaroon,
  getDischarge: GetDischarge,
  { localKeyPair, limits = DEFAULT_LIMITS }: DischargeAllOptions = {},
): Promise<UnverifiedSlice> {
  const discharges: Macaroon[] = []
  const needs = needsOf(root)
  for (let need = needs.shift(); need !== undefined; need = needs.shift()) {
    if (discharges.length + 2 > limits.macaroons) {
      throw new BakeryError(
        'limit-exceeded',
        `It needs more than the ${limits.macaroons - 1} discharges accepted`,
      )
    }
    const local = localKeyPair !== undefined && need.location === 'local'
    const discharge = local ? dischargeLocal({ ...need, keyPair: localKeyPair }) : await getDischarge(need)
    if (Buffer.compare(discharge.macaroon.id, need.id) !== 0) {
      throw new BakeryError('wrong-discharge', 'The discharge is for another caveat than the one asked about')
    }
    discharges.push(bindDischarge(root.macaroon, discharge.macaroon))
    needs.push(...needsOf(discharge))
  }
  return [root.macaroon, ...discharges]
}

function needsOf(bakery: BakeryMacaroon): DischargeNeed[] {
  return bakery.macaroon.caveats
    .filter((caveat) => caveat.verificationId !== undefined)
    .map(({ id, location }) => ({ id, location, caveat: caveatPayload(bakery, id) }))
}
