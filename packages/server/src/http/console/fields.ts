/** The fields of a page: those of the URL's query, or those that its form sends. */
import { invalidRequest } from '../../errors.ts'
import { words } from '../../web/words/en.ts'

export interface Fields {
  /** Returns the trimmed value; undefined if empty or absent. For a repeated field, returns the first value. */
  get(name: string): string | undefined
  /** Returns all values that are not empty, in order. */
  all(name: string): readonly string[]
  /** Whether the form has the field, even if empty. */
  has(name: string): boolean
  /** All fields as they were sent. */
  readonly entries: readonly (readonly [string, string])[]
}

/** More than any page has: 1,000 selected records and the page's own fields. */
export const MOST_FIELDS = 1_200

/** Throws {@link RequestError} `invalid-request` for more fields than any page has. */
export const fieldsIn = (text: string): Fields => fieldsOf([...new URLSearchParams(text)])

/** Returns the fields with these names and values. Throws as {@link fieldsIn} does. */
export function fieldsOf(entries: Fields['entries']): Fields {
  if (entries.length > MOST_FIELDS) {
    throw invalidRequest(words.form.tooManyFields(MOST_FIELDS))
  }
  const all = (name: string) =>
    entries.flatMap(([one, value]) => (one === name && value.trim() !== '' ? value.trim() : []))
  return {
    get: (name) => all(name)[0],
    all,
    has: (name) => entries.some(([one]) => one === name),
    entries,
  }
}

export const NO_FIELDS: Fields = fieldsIn('')

/** Returns the fields of an address with a query, such as `/devices?model=acme/pi`. */
export function queryFields(url: string): Fields {
  const query = url.indexOf('?')
  return fieldsIn(query < 0 ? '' : url.slice(query + 1))
}

/**
 * Returns midnight UTC of a day picked on a page, because operations expect instants (contract/administration.md, C10).
 * Returns any other text unchanged: the operation's refusal explains the format.
 */
export const midnightOf = <Text extends string | undefined>(text: Text): Text | string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
