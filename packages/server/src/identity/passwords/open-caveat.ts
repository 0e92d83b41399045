/** Opens the caveat of a password login. */
import { BakeryError, decodeCaveatId } from '@ratafia/macaroon/bakery'
import { type LoginCaveat, parseLoginCaveat } from '../../third-party/login-caveat.ts'
import type { SessionOpening } from '../../tokens/open-session.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { withOwnKeyPairs } from '../discharge/own-key-pairs.ts'
import { isKnownService } from '../known-services.ts'
import type { CheckDeps } from '../logins/check-credentials.ts'

export interface OpenedCaveat extends LoginCaveat {
  /** The root key of its discharge. */
  readonly rootKey: Uint8Array
  /** True if the service that this identity service is part of sealed it. Otherwise a known service did. */
  readonly isOwn: boolean
}

/** With a shorter root key, which could be guessed, the discharge could be forged. */
const SHORTEST_ROOT_KEY = 16

/**
 * Opens the caveat. Returns undefined for a caveat id that is not sealed to this service, that a stranger sealed, or
 * that a password does not discharge. Anyone can seal a caveat to the public key with their own root key, and then sign
 * any discharge for it. So only the caveats of this service and of those in `RATAFIA_KNOWN_SERVICES` are accepted,
 * before any account is looked up. Throws `service-unavailable` and `Unavailable`.
 */
export async function openLoginCaveat(
  id: Uint8Array,
  { keyring, knownServices }: Pick<IdentityDependencies, 'keyring' | 'knownServices'>,
): Promise<OpenedCaveat | undefined> {
  try {
    const decoded = await withOwnKeyPairs(keyring, async (keyPairs) => decodeCaveatId(id, keyPairs))
    const { version, condition, rootKey, firstPartyPublicKey } = decoded
    const caveat = version === 1 ? parseLoginCaveat(condition) : undefined
    if (!caveat || rootKey.length < SHORTEST_ROOT_KEY) return undefined
    const { publicKey: own } = await keyring.sealingKeyPair()
    const sealedBy = { firstParty: firstPartyPublicKey, summary: undefined }
    if (!isKnownService(sealedBy, own, knownServices)) return undefined
    return { ...caveat, rootKey, isOwn: Buffer.compare(own, firstPartyPublicKey) === 0 }
  } catch (error) {
    if (error instanceof BakeryError) return undefined
    throw error
  }
}

export interface PasswordDependencies extends CheckDeps, Pick<IdentityDependencies, 'knownServices'> {
  /** Whether programs may log in with a password. */
  readonly enabled: boolean
  /** How long a discharge can be used before it must be refreshed, in milliseconds. */
  readonly dischargeLifetime: number
  /**
   * The sessions of the service that this identity service is part of. Undefined for a standalone identity
   * service, where the first use of the root opens the session.
   */
  readonly sessions: SessionOpening | undefined
}
