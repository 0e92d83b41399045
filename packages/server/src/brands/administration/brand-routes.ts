/** Brands, signing keys, trust roots and hardware identities in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { tried } from '../../change.ts'
import { type AddManagementRoute, seenAs } from '../../http/management/management-route.ts'
import { cursorOf, instantOf, positionIn } from '../../http/management/pages.ts'
import type { Stores } from '../../stores.ts'
import { disableSigningKey } from '../keys/disable-signing-key.ts'
import {
  describeSigningKey,
  pageOfSigningKeys,
  seenSigningKey,
  signingKeyRecord,
} from '../keys/list-signing-keys.ts'
import {
  hardwareIdentityRecord,
  pageOfHardwareIdentities,
} from '../models/hardware/find-hardware-identity.ts'
import { brandRecord, listBrands, showBrand } from '../seen-brands.ts'
import { listTrustRoots, trustRootRecord } from '../trust/list-trust-roots.ts'

export function brandManagementRoutes(add: AddManagementRoute, stores: Stores): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.brands, async ({ authority, query }) => {
    const { limit = 100 } = query
    const [after] = positionIn(query, 1) ?? []
    const { rows, next } = await listBrands({ authority, after, limit }, stores)
    return { brands: rows.map(brandRecord), next: cursorOf(next && [next.accountId], query) }
  })
  add(api.brand, async ({ authority, parameters }) =>
    brandRecord(await showBrand({ accountId: parameters['brand'] ?? '', authority }, stores)),
  )

  add(api.signingKeys, async ({ authority, query }) => {
    const { brand: brands, limit = 100 } = query
    const listing = { authority, brands, limit, after: keyIn(query) }
    const { rows, next } = await pageOfSigningKeys(listing, stores)
    return {
      signing_keys: rows.map(signingKeyRecord),
      next: cursorOf(next && [next.accountId, next.addedAt.toISOString(), next.keyId], query),
    }
  })
  add(api.signingKey, async ({ authority, parameters }) => {
    const key = await seenSigningKey({ keyId: parameters['id'] ?? '', authority }, stores)
    return signingKeyRecord(await describeSigningKey(key, stores))
  })

  add(api.disableSigningKey, async (asked) => {
    const { authority, parameters, body } = asked
    const disabling = { keyId: parameters['id'] ?? '', authority, force: body.force === true }
    const change = { ...disabling, mustBeSeen: seenAs(asked, signingKeyRecord) }
    const { key, stopped } = await disableSigningKey(change, tried(asked, stores))
    return { ...signingKeyRecord(key), stopped_models: stopped }
  })

  add(api.trustRoots, async ({ authority }) => ({
    trust_roots: (await listTrustRoots(authority, stores)).map(trustRootRecord),
  }))

  add(api.hardwareIdentities, async ({ authority, query }) => {
    const { limit = 100 } = query
    const [keySha3, issuerId] = positionIn(query, 2) ?? []
    const after = keySha3 === undefined || issuerId === undefined ? undefined : { keySha3, issuerId }
    const { rows, next } = await pageOfHardwareIdentities({ authority, after, limit }, stores)
    return {
      hardware_identities: rows.map(hardwareIdentityRecord),
      next: cursorOf(next && [next.keySha3, next.issuerId], query),
    }
  })
}

type KeyPosition = Parameters<typeof pageOfSigningKeys>[0]['after']

/** An invalid cursor starts from the first page. */
function keyIn(query: { readonly cursor?: string }): KeyPosition {
  const [accountId = '', at = '', keyId = ''] = positionIn(query, 3) ?? []
  const addedAt = instantOf(at)
  return addedAt && { accountId, addedAt, keyId }
}
