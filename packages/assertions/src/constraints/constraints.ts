// The `constraints` of an account-key limit what the key may sign (contract/devices.md 3.7). Each entry of the list has
// a map `headers` of patterns. One matching entry is enough; without constraints, the key may sign anything.

import { faulty } from '../headers/header-checks.ts'
import { type Headers, type HeaderValue, isList, isMap } from '../headers/header-value.ts'
import { quote } from '../text.ts'
import { type Budget, compilePattern, type Pattern } from './pattern.ts'

/** A condition on one value: it is missing, matches a pattern or an alternative, or is a map with conditions. */
type Condition =
  | { readonly missing: true }
  | { readonly pattern: Pattern }
  | { readonly anyOf: readonly Condition[] }
  | { readonly entries: ReadonlyMap<string, Condition> }

/** The entries of `constraints`. One of them must match all the headers that it names. */
export type Constraints = readonly ReadonlyMap<string, Condition>[]

/** The pattern for a header that must be missing. */
const MISSING = '$MISSING'

/**
 * The maximum number of steps for all patterns of one key. Short strings can make long patterns, so this bounds memory.
 */
const MAXIMUM_STEPS = 10_000

/** Reads and compiles `constraints`; undefined when there are none. Throws {@link AssertionError}. */
export function readConstraints(headers: Headers): Constraints | undefined {
  const value = headers.get('constraints')
  if (value === undefined) return undefined
  if (!isList(value)) throw faulty('constraints', 'is not a list of maps')
  const budget = { steps: MAXIMUM_STEPS }
  return value.map((entry) => readEntry(entry, budget))
}

/**
 * Refuses what snapd refuses: `$OP()` and `$REF`, which belong to other kinds of constraints, and alternatives inside
 * alternatives. Throws {@link AssertionError}. In a key that was stored earlier, such a reference matches nothing.
 */
export function checkConstraintForms(headers: Headers): void {
  const entries = headers.get('constraints') ?? []
  if (!isList(entries)) return
  for (const entry of entries) checkForm(isMap(entry) ? (entry.get('headers') ?? '') : '')
}

function checkForm(value: HeaderValue): void {
  if (isList(value)) {
    if (value.some(isList)) throw faulty('constraints', 'has a list of alternatives directly inside another')
    for (const item of value) checkForm(item)
  } else if (isMap(value)) {
    for (const item of value.values()) checkForm(item)
  } else if (value.startsWith('$') && value !== MISSING) {
    throw faulty('constraints', `has ${quote(value)}: a key's constraints cannot have $OP() or $REF`)
  }
}

/** Whether a key with these constraints may sign an assertion with these headers. */
export function constraintsAllow(constraints: Constraints | undefined, headers: Headers): boolean {
  return constraints === undefined || constraints.some((entry) => entriesMatch(entry, headers))
}

function readEntry(entry: HeaderValue, budget: Budget): ReadonlyMap<string, Condition> {
  if (!isMap(entry)) throw faulty('constraints', 'is not a list of maps')
  const headers = entry.get('headers')
  if (!isMap(headers)) throw faulty('constraints', 'has an entry without a map "headers"')
  const type = headers.get('type')
  if (typeof type !== 'string' || /[\\.+*?()|[\]{}^$]/.test(type)) {
    throw faulty('constraints', 'has an entry whose "headers" do not name one exact "type"')
  }
  return readEntries(headers, budget)
}

function readEntries(map: Headers, budget: Budget): ReadonlyMap<string, Condition> {
  return new Map([...map].map(([name, value]) => [name, readCondition(value, budget)] as const))
}

function readCondition(value: HeaderValue, budget: Budget): Condition {
  if (isList(value)) return { anyOf: value.map((item) => readCondition(item, budget)) }
  if (isMap(value)) return { entries: readEntries(value, budget) }
  if (value === MISSING) return { missing: true }
  try {
    return { pattern: compilePattern(value, budget) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw faulty('constraints', `has a bad pattern: ${error.message}`)
  }
}

function entriesMatch(entries: ReadonlyMap<string, Condition>, values: Headers): boolean {
  return [...entries].every(([name, condition]) => {
    const value = values.get(name)
    return value === undefined ? 'missing' in condition : matches(condition, value)
  })
}

/** A list matches when it is not empty and each of its items does. */
function matches(condition: Condition, value: HeaderValue): boolean {
  if (isList(value)) return value.length > 0 && value.every((item) => matches(condition, item))
  if ('missing' in condition) return false
  if ('anyOf' in condition) return condition.anyOf.some((alternative) => matches(alternative, value))
  if ('entries' in condition) return isMap(value) && entriesMatch(condition.entries, value)
  return typeof value === 'string' && condition.pattern(value)
}
