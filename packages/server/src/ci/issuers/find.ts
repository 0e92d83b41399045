/** Finds an issuer by what an operator calls it. */
import { invalidField, quote } from '../../errors.ts'
import type { TransactionStores } from '../../stores.ts'
import { isStorable } from '../id-token/claims.ts'
import { LONGEST_ISSUER_URL } from './check-issuer.ts'
import type { FoundIssuer } from './issuer.ts'

/** By its URL, exactly as ID tokens have it, or by its id. Throws `invalid-field` when there is none. */
export async function findIssuer(urlOrId: string, { issuers }: TransactionStores): Promise<FoundIssuer> {
  const found =
    urlOrId.length > LONGEST_ISSUER_URL || !isStorable(urlOrId)
      ? undefined
      : ((await issuers.findByUrl(urlOrId)) ?? (await issuers.findById(urlOrId)))
  if (found) return found
  throw invalidField(
    `There is no issuer ${quote(urlOrId)}. Its URL is compared as it is written; \`ratafia issuers list\` shows them all.`,
    { field: 'issuer' },
  )
}
