/** Lists the imported hardware identities, which belong to no brand. */
import { type Authority, requireForAll } from '../../../authority.ts'
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import type { StoredHardwareIdentity } from './hardware-identity-store.ts'

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
