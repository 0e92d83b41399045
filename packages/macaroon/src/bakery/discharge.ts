import { addFirstPartyCaveat } from '../add-first-party-caveat.ts'
import { formatDeclared, parseDeclared, parseNeedDeclared } from '../conditions/declared.ts'
import { utf8 } from '../text.ts'
import { type BakeryMacaroon, mintBakeryMacaroon } from './bakery-macaroon.ts'
import type { DecodedCaveatId } from './caveat-id/caveat-id.ts'
import { decodeCaveatId } from './caveat-id/decode-caveat-id.ts'
import { BakeryError } from './errors.ts'
import type { KeyPair } from './key-pair.ts'

/** A caveat, as the discharger sees it when it decides. */
export interface CaveatInfo extends Omit<DecodedCaveatId, 'rootKey'> {
  /** The id that the discharge will have. */
  readonly id: Uint8Array
  /** The keys that the discharge must declare. Those that the check does not declare get an empty value. */
  readonly needDeclared: readonly string[]
}

/**
 * Decides about a condition (without its `need-declared`). Returns the conditions that the discharge gets, such as
 * `declared username bob`, or throws an error for the client.
 */
export type CaveatCheck = (
  condition: string,
  info: CaveatInfo,
) => readonly string[] | Promise<readonly string[]>

export interface DischargeInput {
  /** The id of the caveat. */
  readonly id: Uint8Array
  /** The payload that belongs to a short id (`caveat64`). */
  readonly caveat?: Uint8Array | undefined
  /** Our key pairs, newest first. Old ones open caveats that were sealed before the key changed. */
  readonly keyPairs: readonly KeyPair[]
  readonly check: CaveatCheck
}

/** The fewest bytes of a root key. A shorter one could be guessed, and the discharge then forged. */
const SHORTEST_ROOT_KEY = 16

/**
 * Discharges a caveat sealed to one of our key pairs, if `check` allows it. The discharge has the caveat's id and
 * bakery version, and no location. Rejects with the {@link BakeryError}s of `decodeCaveatId`, or `weak-root-key`;
 * with `ConditionError` `malformed-condition` for a bad `need-declared`; and with any error of `check`.
 */
export async function discharge({ id, caveat, keyPairs, check }: DischargeInput): Promise<BakeryMacaroon> {
  const { rootKey, ...decoded } = openStrongCaveat(id, caveat, keyPairs)
  const { keys, condition } = parseNeedDeclared(decoded.condition)
  const conditions = await check(condition, { ...decoded, condition, id, needDeclared: keys })
  return dischargeWith(id, decoded.version, rootKey, [...conditions, ...undeclared(keys, conditions)])
}

export interface LocalDischargeInput {
  readonly id: Uint8Array
  readonly caveat?: Uint8Array | undefined
  readonly keyPair: KeyPair
}

/**
 * Discharges a caveat with the location `local`. A client (an agent) uses it to prove that it has a private key. Throws
 * the {@link BakeryError}s of `decodeCaveatId`, `weak-root-key`, or `not-local` for any condition but `true`.
 */
export function dischargeLocal({ id, caveat, keyPair }: LocalDischargeInput): BakeryMacaroon {
  const { version, condition, rootKey } = openStrongCaveat(id, caveat, [keyPair])
  if (condition !== 'true')
    throw new BakeryError('not-local', 'A local caveat must have the condition "true"')
  return dischargeWith(id, version, rootKey, [])
}

function openStrongCaveat(
  id: Uint8Array,
  payload: Uint8Array | undefined,
  keyPairs: readonly KeyPair[],
): DecodedCaveatId {
  const decoded = decodeCaveatId(payload === undefined || payload.length === 0 ? id : payload, keyPairs)
  if (decoded.rootKey.length < SHORTEST_ROOT_KEY) {
    throw new BakeryError(
      'weak-root-key',
      `The caveat has a root key of less than ${SHORTEST_ROOT_KEY} bytes`,
    )
  }
  if (decoded.version === 1 && utf8(id) === undefined) {
    throw new BakeryError('malformed', 'The id of a version 1 caveat must be text')
  }
  return decoded
}

function dischargeWith(
  id: Uint8Array,
  version: 1 | 2 | 3,
  rootKey: Uint8Array,
  conditions: readonly string[],
): BakeryMacaroon {
  const bakery = mintBakeryMacaroon({ rootKey, id, version })
  return { ...bakery, macaroon: conditions.reduce((m, c) => addFirstPartyCaveat(m, c), bakery.macaroon) }
}

/** Declares the missing keys with an empty value. Otherwise a client could append values of its own. */
function undeclared(keys: readonly string[], conditions: readonly string[]): string[] {
  const declared = new Set<string>()
  for (const condition of conditions) {
    if (condition.startsWith('declared '))
      declared.add(parseDeclared(condition.slice('declared '.length)).key)
  }
  return keys.filter((key) => !declared.has(key)).map((key) => formatDeclared(key, ''))
}
