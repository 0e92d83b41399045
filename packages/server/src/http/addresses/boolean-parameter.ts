/** A query parameter that is true or false. */
import { invalidField } from '../../errors.ts'

/** The spellings of people, and those of clients that write a boolean of their language: Python's is `True`. */
const SPELLINGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
])

/** Returns false if the parameter is absent. Throws {@link RequestError} `invalid-field`. */
export function booleanParameter(query: unknown, name: string): boolean {
  const value = (query as Readonly<Record<string, unknown>>)[name]
  if (value === undefined) return false
  const field = `query/${name}`
  if (typeof value !== 'string') throw invalidField(`${field} is given more than once.`, { field })
  const meaning = SPELLINGS.get(value.toLowerCase())
  if (meaning === undefined) {
    throw invalidField(`${field} is neither yes nor no. Write true or false.`, { field })
  }
  return meaning
}
