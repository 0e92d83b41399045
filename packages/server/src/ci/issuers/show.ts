/** One issuer with its keys and its rules, for the operator. */
import type { TransactionStores } from '../../stores.ts'
import { type IssuerKeys, importIssuerKeys } from '../id-token/issuer-keys.ts'
import { findIssuer } from './find.ts'
import type { FoundIssuer } from './issuer.ts'
import type { NamedRule } from './issuer-store.ts'

export interface ShownIssuer extends FoundIssuer {
  readonly imported: IssuerKeys
  readonly rules: readonly NamedRule[]
}

/** Throws `invalid-field` when there is no such issuer. */
export async function showIssuer(urlOrId: string, deps: TransactionStores): Promise<ShownIssuer> {
  const found = await findIssuer(urlOrId, deps)
  const stored = await deps.issuerKeys.read(found.issuer.id)
  const imported = stored
    ? await importIssuerKeys(stored)
    : { revision: found.keys.revision, algorithms: [], keys: [], leftOut: {} }
  return { ...found, imported, rules: await deps.issuers.rulesOf(found.issuer.id) }
}
