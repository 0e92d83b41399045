/** The fields of a page: what its address says, or what its form sends. */
import { invalidRequest } from '../../errors.ts'
import { words } from '../../web/words/en.ts'

export interface Fields {
  /** Without white space around it; undefined if it is empty or absent. Of a repeated one, the first. */
  get(name: string): string | undefined
  /** All that are not empty, in their order. */
  all(name: string): readonly string[]
  /** Whether the form had it, even empty. */
  has(name: string): boolean
  /** As they were sent. */
  readonly entries: readonly (readonly [string, string])[]
}

/** More than any page has: 1,000 chosen records and its own. */
export const MOST_FIELDS = 1_200

/** Throws {@link RequestError} `invalid-request` for more fields than any page has. */
export const fieldsIn = (text: string): Fields => fieldsOf([...new URLSearchParams(text)])

/** Of names and values. Throws as {@link fieldsIn}. */
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

/** Of an address with a query, such as `/devices?model=acme/pi`. */
export function queryFields(url: string): Fields {
  const query = url.indexOf('?')
  return fieldsIn(query < 0 ? '' : url.slice(query + 1))
}
