/** Removes an issuer and its rules, and revokes the sessions they opened (contract/oidc.md, A12). */
import { type Authority, requireForAll } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { findIssuer } from './find.ts'
import type { Issuer } from './issuer.ts'
import type { NamedRule } from './issuer-store.ts'

export interface RemovedIssuer {
  readonly issuer: Issuer
  /** Sorted by name. */
  readonly rules: readonly NamedRule[]
  /** How many sessions were revoked. */
  readonly revoked: number
}

/** Only operators can. Throws `permission-denied`, and `no-such-record` if there is no such issuer. */
export async function removeIssuer(
  { issuer: urlOrId, authority }: { readonly issuer: string; readonly authority: Authority },
  stores: Stores,
): Promise<RemovedIssuer> {
  requireForAll(authority, 'roles:manage')
  const { author, by } = authority
  const { issuer } = await findIssuer(urlOrId, stores)
  return stores.changeBy(author)(async ({ issuers, tokenSessions, record }) => {
    const rules = await issuers.remove(issuer.id)
    if (!rules) throw invalidField(`The issuer ${issuer.url} was removed a moment ago.`, { field: 'issuer' })
    const ids = rules.map(({ id }) => id)
    const revoked = (await tokenSessions.revokeOfRules(ids, { at: stores.clock(), by })).length
    const names = rules.map(({ name }) => name)
    await record({
      action: 'issuer.remove',
      subject: issuer.url,
      details: { rules: names, sessions: revoked },
    })
    return { issuer, rules, revoked }
  })
}
