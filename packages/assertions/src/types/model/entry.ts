// Checks a map inside a header, such as one snap of `snaps`. Messages name the header and the entry.

import { AssertionError, type AssertionErrorCode } from '../../errors.ts'
import { type Headers, isList } from '../../headers/header-value.ts'
import { quote } from '../../text.ts'

/** A map and its name in messages, such as `header "snaps", snap "pc"`. */
export interface Entry {
  readonly map: Headers
  readonly where: string
}

export function entryFault(
  { where }: Pick<Entry, 'where'>,
  fault: string,
  code: Extract<AssertionErrorCode, `${string}-header`> = 'malformed-header',
): AssertionError {
  return new AssertionError(code, `${where}: ${fault}`)
}

/** Returns an entry's text; undefined if it is missing. */
export function optionalEntryText(entry: Entry, name: string): string | undefined {
  const value = entry.map.get(name)
  if (value !== undefined && typeof value !== 'string') {
    throw entryFault(entry, `"${name}" is a list or a map, not text`)
  }
  return value
}

/** Returns an entry's text, which must be there and not empty. */
export function entryText(entry: Entry, name: string): string {
  const value = optionalEntryText(entry, name)
  if (value === undefined) throw entryFault(entry, `"${name}" is missing`, 'missing-header')
  if (value === '') throw entryFault(entry, `"${name}" is empty`, 'empty-header')
  return value
}

/** Returns the entry's choice, or the first one if it is missing or empty. */
export function entryChoice<Choice extends string>(
  entry: Entry,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = optionalEntryText(entry, name) || choices[0]
  const choice = choices.find((one) => one === value)
  if (choice === undefined) throw entryFault(entry, `"${name}" is ${quote(value)}: ${oneOf(choices)}`)
  return choice
}

/** Returns the modes of Ubuntu Core in the entry. */
export function entryModes(entry: Entry): readonly string[] {
  const value = entry.map.get('modes')
  if (value === undefined) return []
  if (!isList(value)) throw entryFault(entry, '"modes" is not a list of strings')
  return value.map((mode) => {
    if (typeof mode !== 'string') throw entryFault(entry, '"modes" is not a list of strings')
    if (!/^[a-z][-a-z]+$/.test(mode)) throw entryFault(entry, `"modes" has an invalid mode: ${quote(mode)}`)
    return mode
  })
}

/** Returns text such as `it must be a, b or c`. */
export function oneOf(choices: readonly string[]): string {
  return `it must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}
