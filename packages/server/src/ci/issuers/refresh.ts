/** Fetches the keys of an issuer now, or replaces pinned keys (contract/oidc.md, A18). */
import { type Authority, requireForAll } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { findIssuer, type ShownIssuer, showIssuer } from './find.ts'
import { givenKeys } from './keys/fetch-keys.ts'
import { fetchAndStore } from './keys/refresh-keys.ts'

export interface RefreshedIssuer extends ShownIssuer {
  /** Whether its keys changed. */
  readonly changed: boolean
}

/**
 * Throws `permission-denied`, `no-such-record`, `invalid-field`, `Unavailable` if a fetch fails. Then its keys do not
 * change.
 */
export async function refreshIssuer(
  {
    issuer: urlOrId,
    jwks,
    authority,
  }: {
    readonly issuer: string
    readonly jwks?: string | undefined
    readonly authority: Authority
  },
  stores: Stores,
): Promise<RefreshedIssuer> {
  requireForAll(authority, 'roles:manage')
  const change = stores.changeBy(authority.author)
  const found = await findIssuer(urlOrId, stores)
  const { issuer, keys } = found
  const at = stores.clock()
  if (keys.pinnedAt) {
    if (jwks === undefined) {
      throw invalidField(`The keys of ${issuer.url} were given in a file. Pass the new ones: --jwks FILE.`, {
        field: 'jwks',
      })
    }
    const given = givenKeys(jwks)
    await change(async ({ issuerKeys, record }) => {
      if (!(await issuerKeys.pin(issuer.id, given, at))) return
      await record({ action: 'issuer.refresh', subject: issuer.url, details: { revision: given.revision } })
    })
  } else {
    if (jwks !== undefined) {
      throw invalidField(`The keys of ${issuer.url} are fetched from it. Leave --jwks out.`, {
        field: 'jwks',
      })
    }
    const before = await stores.issuerKeys.begin(issuer.id, at, { afterAny: 0, afterFailure: 0 })
    const failed = await fetchAndStore({ issuer, before: before ?? keys.revision, at }, { ...stores, change })
    if (failed) throw failed
  }
  const shown = await showIssuer(issuer.id, stores)
  return { ...shown, changed: shown.keys.revision !== keys.revision }
}
