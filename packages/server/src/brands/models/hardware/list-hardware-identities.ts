/** Lists the imported hardware identities. */
import type { BrandDeps } from '../../brand-deps.ts'
import type { StoredHardwareIdentity } from './hardware-identity-store.ts'

/** Ordered by the digest of their key. */
export async function* listHardwareIdentities({
  hardwareIdentities,
}: Pick<BrandDeps, 'hardwareIdentities'>): AsyncGenerator<StoredHardwareIdentity> {
  const limit = 500
  for (let after: StoredHardwareIdentity | undefined; ; ) {
    const page = await hardwareIdentities.list({ after, limit })
    yield* page
    after = page.at(-1)
    if (page.length < limit) return
  }
}
