/** One issuer with its keys and its rules, for the operator. */
import { type IssuerKeys, importIssuerKeys } from '../id-token/issuer-keys.ts'
import { type FindIssuerDeps, findIssuer } from './find.ts'
import type { FoundIssuer } from './issuer.ts'
import type { IssuerStore, NamedRule } from './issuer-store.ts'
import type { IssuerKeysStore } from './keys/issuer-keys-store.ts'

export interface ShownIssuer extends FoundIssuer {
  readonly imported: IssuerKeys
  readonly rules: readonly NamedRule[]
}

interface ShowIssuerDeps extends FindIssuerDeps {
  readonly issuers: Pick<IssuerStore, 'findByUrl' | 'findById' | 'rulesOf'>
  readonly issuerKeys: Pick<IssuerKeysStore, 'read'>
}

/** Throws `invalid-field` when there is no such issuer. */
export async function showIssuer(urlOrId: string, deps: ShowIssuerDeps): Promise<ShownIssuer> {
  const found = await findIssuer(urlOrId, deps)
  const stored = await deps.issuerKeys.read(found.issuer.id)
  const imported = stored
    ? await importIssuerKeys(stored)
    : { revision: found.keys.revision, algorithms: [], keys: [], leftOut: {} }
  return { ...found, imported, rules: await deps.issuers.rulesOf(found.issuer.id) }
}
