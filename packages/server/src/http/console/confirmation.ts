/** What a page that asks before something is done has in common with others of its kind (contract/administration.md, C7). */
import { invalidField, RequestError } from '../../errors.ts'
import { words } from '../../web/words/en.ts'
import type { Fields } from './fields.ts'

/** Throws `invalid-field` unless the person typed what proves that they have read what will happen. */
export function requireTyped({ get }: Pick<Fields, 'get'>, expected: string): void {
  if (get('typed') === expected) return
  throw invalidField(words.form.notTyped(expected), { field: 'typed' })
}

/** The version of the record in the form. A form without it has seen none, and is refused. */
export const seenIn = ({ get }: Pick<Fields, 'get'>): string => get('seen') ?? '""'

/** They are about the record. What is about the person, or about the service, is another page. */
const OF_THE_RECORD: ReadonlySet<string> = new Set([
  'already-exists',
  'invalid-field',
  'last-operator',
  'state-conflict',
])

/** Why a dry run was refused; undefined if it was not. Throws what is not about the record. */
export async function refusalIn(dryRun: Promise<unknown>): Promise<RequestError | undefined> {
  try {
    await dryRun
    return undefined
  } catch (error) {
    if (error instanceof RequestError && OF_THE_RECORD.has(error.code)) return error
    throw error
  }
}
