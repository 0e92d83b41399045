/** Lists the imported hardware identities, which belong to no brand. */
import { type Authority, requireForAll } from '../../../authority.ts'
import { pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import type { StoredHardwareIdentity } from './hardware-identity-store.ts'

/** Where an identity stands in the list. */
export type IdentityPosition = Pick<StoredHardwareIdentity, 'keySha3' | 'issuerId'>

interface Listing {
  readonly authority: Authority
  readonly after?: IdentityPosition | undefined
  readonly limit: number
}

/** By the digest of their key. `next` is where the page that follows begins. Throws `permission-denied`. */
export async function pageOfHardwareIdentities(
  { authority, after, limit }: Listing,
  { hardwareIdentities }: TransactionStores,
): Promise<{
  readonly identities: readonly StoredHardwareIdentity[]
  readonly next: IdentityPosition | undefined
}> {
  requireForAll(authority, 'models:read')
  const { rows: identities, next } = await pageOf(limit, (most) =>
    hardwareIdentities.list({ after, limit: most }),
  )
  return { identities, next }
}

/** As the API, `--json` and exports show it. */
export const hardwareIdentityRecord = (one: StoredHardwareIdentity) => ({
  issuer_id: one.issuerId,
  hardware_id: one.hardwareId,
  hardware_name: one.hardwareName,
  manufacturer: one.manufacturer,
  key_sha3_384: one.keySha3,
  key_sha384: one.keySha2,
})
