/** Opens the caveat of a login with a password. */
import { BakeryError, decodeCaveatId } from '@ratafia/macaroon/bakery'
import type { Keyring } from '../../keyring/keyring.ts'
import { withOwnKeyPairs } from '../discharge/own-key-pairs.ts'
import { type LoginCaveat, parseLoginCaveat } from './login-caveat.ts'

export interface OpenedCaveat extends LoginCaveat {
  /** Of its discharge. */
  readonly rootKey: Uint8Array
  /** Whether the service that this identity service is part of has sealed it. */
  readonly isOwn: boolean
}

/** A shorter one could be guessed, and the discharge then forged. */
const SHORTEST_ROOT_KEY = 16

/**
 * Undefined for a caveat id that is not sealed to this service, or that a password does not discharge. Throws
 * `service-unavailable`, and `Unavailable`.
 */
export async function openLoginCaveat(id: Uint8Array, keyring: Keyring): Promise<OpenedCaveat | undefined> {
  try {
    const decoded = await withOwnKeyPairs(keyring, async (keyPairs) => decodeCaveatId(id, keyPairs))
    const { version, condition, rootKey, firstPartyPublicKey } = decoded
    const caveat = version === 1 ? parseLoginCaveat(condition) : undefined
    if (!caveat || rootKey.length < SHORTEST_ROOT_KEY) return undefined
    const own = await keyring.sealingKeyPair()
    return { ...caveat, rootKey, isOwn: Buffer.compare(own.publicKey, firstPartyPublicKey) === 0 }
  } catch (error) {
    if (error instanceof BakeryError) return undefined
    throw error
  }
}
