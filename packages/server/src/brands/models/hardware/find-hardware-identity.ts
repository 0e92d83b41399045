/** Finds the hardware identity that a registration names. */
import { AssertionError, type TrustedAssertion, verifyTrust } from '@ratafia/assertions'
import type { Stores } from '../../../stores.ts'
import { decodeStored } from '../../trust/decode-stored.ts'
import { trustContext } from '../../trust/trust.ts'

/**
 * Returns the identity with this key, found by the digest that a registration names: base64url of SHA3-384 or SHA-384
 * over the text of the key. snapd and its documentation name it differently, so both are looked up. Checks the chain
 * again: an identity that is no longer trusted counts as absent. Returns undefined if there is none.
 */
export async function findHardwareIdentity(
  digest: string,
  stores: Stores,
): Promise<TrustedAssertion<'hardware-identity'> | undefined> {
  if (!/^[A-Za-z0-9_-]{64}$/.test(digest)) return undefined
  const context = await trustContext(stores)
  for (const kind of ['sha3-384', 'sha384'] as const) {
    for (const { encoded } of await stores.hardwareIdentities.findByKey(kind, digest)) {
      const assertion = decodeStored(encoded)
      if (assertion.type !== 'hardware-identity') continue
      try {
        return await verifyTrust(assertion, context)
      } catch (error) {
        if (!(error instanceof AssertionError)) throw error
      }
    }
  }
  return undefined
}
