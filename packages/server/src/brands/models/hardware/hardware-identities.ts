/** The imported hardware identities. */
import { AssertionError, decode, type TrustedAssertion, verifyTrust } from '@ratafia/assertions'
import { trustContext } from '../../trust/trust.ts'
import type { StoredHardwareIdentity } from './hardware-identity-store.ts'
import type { HardwareIdentityDeps } from './import-hardware-identities.ts'

/** By the digest of their key. */
export async function* listHardwareIdentities({
  hardwareIdentities,
}: Pick<HardwareIdentityDeps, 'hardwareIdentities'>): AsyncGenerator<StoredHardwareIdentity> {
  const limit = 500
  for (let after: StoredHardwareIdentity | undefined; ; ) {
    const page = await hardwareIdentities.list({ after, limit })
    yield* page
    after = page.at(-1)
    if (page.length < limit) return
  }
}

/**
 * The identity with this key, by the digest that a registration names: base64url of SHA3-384 or SHA-384 over the text
 * of the key. snapd and its documentation name it differently, so both are looked for. Its chain is checked again;
 * one that is not trusted any more is as good as none. Undefined when there is none.
 */
export async function findHardwareIdentity(
  digest: string,
  deps: HardwareIdentityDeps,
): Promise<TrustedAssertion<'hardware-identity'> | undefined> {
  if (!/^[A-Za-z0-9_-]{64}$/.test(digest)) return undefined
  const context = await trustContext(deps)
  for (const kind of ['sha3-384', 'sha384'] as const) {
    for (const { encoded } of await deps.hardwareIdentities.findByKey(kind, digest)) {
      const assertion = decode(encoded)
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
