/** Finds and lists the imported hardware identities, which belong to no brand. */
import { AssertionError, type TrustedAssertion, verifyTrust } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../../../authority.ts'
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { Stores, TransactionStores } from '../../../stores.ts'
import { decodeStored, trustContext } from '../../trust/trust.ts'
import type { StoredHardwareIdentity } from './hardware-identity-store.ts'

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

/** The position of an identity in the list. */
export type IdentityPosition = Pick<StoredHardwareIdentity, 'keySha3' | 'issuerId'>

/** Returns identities sorted by the digest of their key. Throws `permission-denied`. */
export async function pageOfHardwareIdentities(
  { authority, after, limit }: Paging<IdentityPosition> & { readonly authority: Authority },
  { hardwareIdentities }: TransactionStores,
): Promise<Page<StoredHardwareIdentity>> {
  requireForAll(authority, 'models:read')
  return pageOf(limit, (most) => hardwareIdentities.list({ after, limit: most }))
}

/** The identity as the API, `--json` and exports show it. */
export const hardwareIdentityRecord = (one: StoredHardwareIdentity) => ({
  issuer_id: one.issuerId,
  hardware_id: one.hardwareId,
  hardware_name: one.hardwareName,
  manufacturer: one.manufacturer,
  key_sha3_384: one.keySha3,
  key_sha384: one.keySha2,
})
