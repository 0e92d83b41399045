/** Finds, lists and shows issuers. */
import { noSuchRecord, quote } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { audienceFor } from '../id-token/check-claims.ts'
import { isStorable } from '../id-token/claims.ts'
import { type IssuerKeys, importIssuerKeys } from '../id-token/issuer-keys.ts'
import { stableIdsOf } from '../rules/stable-ids.ts'
import { LONGEST_ISSUER_URL } from './check-issuer.ts'
import type { FoundIssuer, Issuer } from './issuer.ts'
import type { NamedRule } from './issuer-store.ts'
import { kindOf } from './kinds.ts'

/** Finds an issuer by its URL, exactly as in ID tokens, or by its id. Throws `no-such-record` if there is none. */
export async function findIssuer(urlOrId: string, { issuers }: TransactionStores): Promise<FoundIssuer> {
  const found =
    urlOrId.length > LONGEST_ISSUER_URL || !isStorable(urlOrId)
      ? undefined
      : ((await issuers.findByUrl(urlOrId)) ?? (await issuers.findById(urlOrId)))
  if (found) return found
  throw noSuchRecord(
    `There is no issuer ${quote(urlOrId)}. URLs must match exactly; \`ratafia issuers list\` shows them all.`,
    { kind: 'issuer', id: urlOrId, field: 'issuer' },
  )
}

/** Returns the age of the keys, in seconds, for each issuer whose keys are fetched. */
export async function issuerKeyAges({ issuers, clock }: Stores) {
  const now = clock().getTime()
  return (await issuers.list())
    .filter(({ keys }) => keys.pinnedAt === undefined)
    .map(({ issuer, keys }) => ({
      issuer: issuer.url,
      age: Math.max(0, (now - keys.fetchedAt.getTime()) / 1000),
    }))
}

/** Lists all issuers by URL, without pages: an operator added each. */
export const listIssuers = ({ issuers }: TransactionStores): Promise<readonly FoundIssuer[]> => issuers.list()

export interface ShownIssuer extends FoundIssuer {
  readonly imported: IssuerKeys
  readonly rules: readonly NamedRule[]
}

/** Throws `no-such-record` if there is no such issuer. */
export async function showIssuer(urlOrId: string, stores: TransactionStores): Promise<ShownIssuer> {
  const found = await findIssuer(urlOrId, stores)
  const stored = await stores.issuerKeys.read(found.issuer.id)
  const imported = stored
    ? await importIssuerKeys(stored)
    : { revision: found.keys.revision, algorithms: [], keys: [], leftOut: {} }
  return { ...found, imported, rules: await stores.issuers.rulesOf(found.issuer.id) }
}

/** Returns an issuer for users who write a rule for it. `baseUrl` has no trailing slash. */
export const issuerRecord = (issuer: Issuer, baseUrl: string) => ({
  url: issuer.url,
  kind: issuer.kind,
  audience: audienceFor(issuer, baseUrl),
  ids: stableIdsOf(issuer),
  one_of: kindOf(issuer.kind).oneOf,
})
