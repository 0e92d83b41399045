/** Lists the imported hardware identities. */
import type { HardwareIdentityStore, StoredHardwareIdentity } from './hardware-identity-store.ts'

interface ListDeps {
  readonly hardwareIdentities: Pick<HardwareIdentityStore, 'list'>
}

/** Ordered by the digest of their key. */
export async function* listHardwareIdentities({
  hardwareIdentities,
}: ListDeps): AsyncGenerator<StoredHardwareIdentity> {
  const limit = 500
  for (let after: StoredHardwareIdentity | undefined; ; ) {
    const page = await hardwareIdentities.list({ after, limit })
    yield* page
    after = page.at(-1)
    if (page.length < limit) return
  }
}
