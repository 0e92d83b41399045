/** Shared by the pages that ask for confirmation before an action (contract/administration.md, C7). */
import { invalidField, RequestError } from '../../errors.ts'
import { words } from '../../web/words/en.ts'
import type { Fields } from './fields.ts'

/** Throws `invalid-field` unless the user typed the expected text, which shows that they read the consequences. */
export function requireTyped({ get }: Pick<Fields, 'get'>, expected: string): void {
  if (get('typed') === expected) return
  throw invalidField(words.form.notTyped(expected), { field: 'typed' })
}

/** Returns the record's version from the form. A form without it has not seen the record, so it is refused. */
export const seenIn = ({ get }: Pick<Fields, 'get'>): string => get('seen') ?? '""'

/** Codes about the record. A refusal about the user or the service leads to another page. */
const OF_THE_RECORD: ReadonlySet<string> = new Set([
  'already-exists',
  'invalid-field',
  'last-operator',
  'state-conflict',
])

/** Returns why a dry run was refused; undefined if it was not. Throws errors that are not about the record. */
export async function refusalIn(dryRun: Promise<unknown>): Promise<RequestError | undefined> {
  try {
    await dryRun
    return undefined
  } catch (error) {
    if (error instanceof RequestError && OF_THE_RECORD.has(error.code)) return error
    throw error
  }
}
