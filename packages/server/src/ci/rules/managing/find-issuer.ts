/** The issuer that somebody names by its URL. */
import { invalidField, quote } from '../../../errors.ts'
import type { Issuer } from '../../issuers/issuer.ts'

/** As the store of issuers has it: asked only for what a database can have. */
export interface FindIssuer {
  findByUrl(url: string): Promise<{ readonly issuer: Issuer } | undefined>
}

const MOST_CHARACTERS = 500

/** Throws `invalid-field` when there is none. */
export async function findIssuer(url: string, issuers: FindIssuer): Promise<Issuer> {
  const storable = url.length <= MOST_CHARACTERS && !url.includes('\0') && url.isWellFormed()
  const found = storable ? await issuers.findByUrl(url) : undefined
  if (found) return found.issuer
  throw invalidField(
    `There is no issuer ${quote(url)}. \`ratafia issuers add URL --kind KIND\` adds one, and \`ratafia issuers list\` shows them.`,
    { field: 'issuer' },
  )
}
