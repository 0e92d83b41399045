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
  /** The payload to send with the id (`caveat64`); undefined if the id contains it. */
  readonly caveat: Uint8Array | undefined
  /** The third party's location. It is not signed, so any earlier holder of the macaroon may have changed it. */
  readonly location: string
}

/** Gets a discharge, for example over HTTP. */
export type GetDischarge = (need: DischargeNeed) => BakeryMacaroon | Promise<BakeryMacaroon>

export interface DischargeAllOptions {
  /** The key pair that discharges caveats with the location `local`. Without it, `getDischarge` gets them as well. */
  readonly localKeyPair?: KeyPair
  /** Limits, of which only `macaroons` applies here. */
  readonly limits?: Limits
}

/**
 * Gets a discharge for every third-party caveat of `root` and of the discharges themselves, one after another, and
 * binds them to the root. Returns the slice to send to the service. Rejects with {@link BakeryError} `wrong-discharge`
 * or `limit-exceeded`, or with the errors of `dischargeLocal` and `getDischarge`.
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
        `The macaroon needs more than ${limits.macaroons - 1} discharges, which is the limit`,
      )
    }
    const local = localKeyPair !== undefined && need.location === 'local'
    const discharge = local ? dischargeLocal({ ...need, keyPair: localKeyPair }) : await getDischarge(need)
    if (Buffer.compare(discharge.macaroon.id, need.id) !== 0) {
      throw new BakeryError('wrong-discharge', 'The discharge is not for the requested caveat')
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
