/** Stops a key from signing serials. */
import {
  type Authority,
  brandsFor,
  brandsNamed,
  requireForBrand,
  requireRecentPerson,
} from '../../authority.ts'
import { stillReferenced } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { StoredSigningKey } from '../brand-store.ts'
import { type ModelName, showModelName } from '../models/model-policy.ts'
import {
  describeSigningKey,
  noSuchSigningKey,
  type SigningKeyDescription,
  seenSigningKey,
} from './list-signing-keys.ts'
import { signerOrFault } from './signer-for.ts'

interface Disabling {
  readonly keyId: string
  readonly authority: Authority
  /** Whether to disable it even if models have no other key. */
  readonly force: boolean
  /** Throws `version-mismatch` if the key differs from the state that the caller has seen. */
  readonly mustBeSeen?: ((now: SigningKeyDescription) => void) | undefined
}

export interface DisabledKey {
  readonly key: SigningKeyDescription
  /** The models visible to the caller that have no other key: their serials can no longer be signed. */
  readonly stopped: readonly string[]
  /** Whether it was disabled earlier; it is then unchanged. */
  readonly before: boolean
}

/**
 * Disables a key. Throws {@link RequestError}: as `seenSigningKey` does; `permission-denied`;
 * `still-referenced` if models have no other key, with their names in the message; with `force` instead
 * `person-required` and `recent-sign-in-required`; and the errors of `mustBeSeen`.
 */
export async function disableSigningKey(
  { keyId, authority, force, mustBeSeen }: Disabling,
  stores: Stores,
): Promise<DisabledKey> {
  const key = await seenSigningKey({ keyId, authority }, stores)
  requireForBrand(authority, 'models:manage', key.accountId)
  if (force) requireRecentPerson(authority, stores.clock())
  const stopped = key.disabledAt === null ? await modelsNeeding(key, authority, stores) : []
  if (stopped.length > 0 && !force) {
    throw stillReferenced(
      `Without it, serials of ${stopped.join(', ')} could not be signed. Add another key first, or disable it anyway with --force.`,
      { kind: 'signing-key', id: keyId, by: stopped },
    )
  }
  return stores.changeBy(authority.author)(async (on) => {
    const { brands, record } = on
    const locked = await brands.lockKey(keyId)
    if (!locked) throw noSuchSigningKey(keyId)
    const now = await describeSigningKey(locked, { ...stores, ...on })
    mustBeSeen?.(now)
    const disabledAt = stores.clock()
    if (!(await brands.disableKey(keyId, disabledAt))) return { key: now, stopped: [], before: true }
    const details = { account: now.accountId, stopped }
    await record({ action: 'signing-key.disable', subject: keyId, details })
    return { key: { ...now, disabledAt }, stopped, before: false }
  })
}

/**
 * Returns the models whose serials can be signed now, but not without the key. Models of brands that the
 * caller can't see don't keep the caller from disabling a key.
 */
async function modelsNeeding(
  { keyId }: StoredSigningKey,
  authority: Authority,
  stores: Stores,
): Promise<readonly string[]> {
  const without = {
    ...stores.brands,
    keys: async (accountId?: string) =>
      (await stores.brands.keys(accountId)).filter((key) => key.keyId !== keyId),
  }
  const brands = brandsNamed(brandsFor(authority, 'models:read'), undefined)
  const stopped: string[] = []
  for (const model of await stores.models.list()) {
    if (brands !== 'all' && !brands.includes(model.brandId)) continue
    if ((await canSign(model, stores)) && !(await canSign(model, { ...stores, brands: without }))) {
      stopped.push(showModelName(model))
    }
  }
  return stopped
}

const canSign = async (model: ModelName, stores: Stores): Promise<boolean> =>
  !('fault' in (await signerOrFault(model, stores)))
