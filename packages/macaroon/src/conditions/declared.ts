import { ConditionError, quote } from './errors.ts'
import { splitCondition } from './split-condition.ts'

/** Writes the condition `declared KEY VALUE`. The value can be empty and can contain spaces. */
export function formatDeclared(key: string, value: string): string {
  checkKey(key)
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw new TypeError('A declared value cannot have control characters')
  return `declared ${key} ${value}`
}

/** Reads the argument of `declared`. Throws {@link ConditionError} `malformed-condition`. */
export function parseDeclared(argument: string): { readonly key: string; readonly value: string } {
  const space = argument.indexOf(' ')
  if (space <= 0) {
    throw new ConditionError('malformed-condition', `"declared" needs a key and a value: ${quote(argument)}`)
  }
  return { key: argument.slice(0, space), value: argument.slice(space + 1) }
}

/**
 * Returns the values that a set of conditions declares. Leaves out a key that is declared with different values,
 * because any holder may have appended one, so the last one must not win. For the same reason, take an identity only
 * from the discharge that was asked for it.
 */
export function declaredValues(conditions: Iterable<string>): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  const conflicting = new Set<string>()
  for (const condition of conditions) {
    if (!condition.startsWith('declared ')) continue
    const argument = condition.slice('declared '.length)
    if (argument.indexOf(' ') <= 0) continue
    const { key, value } = parseDeclared(argument)
    if (values.has(key) && values.get(key) !== value) conflicting.add(key)
    values.set(key, value)
  }
  for (const key of conflicting) values.delete(key)
  return values
}

/**
 * Checks the argument of `declared` against {@link declaredValues}. Throws `declared-conflict` or
 * `malformed-condition`.
 */
export function checkDeclared(
  argument: string,
  { declared }: { readonly declared: ReadonlyMap<string, string> },
): void {
  const { key, value } = parseDeclared(argument)
  if (declared.get(key) !== value) {
    throw new ConditionError(
      'declared-conflict',
      `${quote(key)} is declared with different values, so all of them are ignored`,
    )
  }
}

export interface NeedDeclared {
  /** The keys that the discharge must declare, with an empty value if unknown. Empty without `need-declared`. */
  readonly keys: readonly string[]
  readonly condition: string
}

/** Writes `need-declared KEY,KEY CONDITION`, or the condition alone without keys. Throws `TypeError` for a bad key. */
export function formatNeedDeclared({ keys, condition }: NeedDeclared): string {
  for (const key of keys) checkKey(key)
  return keys.length === 0 ? condition : `need-declared ${keys.join(',')} ${condition}`
}

/**
 * Splits a third-party condition. One that does not begin with `need-declared` has no keys.
 * Throws {@link ConditionError} `malformed-condition` if keys or the inner condition are missing.
 */
export function parseNeedDeclared(condition: string): NeedDeclared {
  if (condition !== 'need-declared' && !condition.startsWith('need-declared ')) return { keys: [], condition }
  const { argument } = splitCondition(condition)
  const space = argument.indexOf(' ')
  const keys = argument.slice(0, Math.max(space, 0)).split(',')
  const inner = argument.slice(space + 1)
  if (inner === '' || !keys.every((key) => KEY.test(key))) {
    throw new ConditionError(
      'malformed-condition',
      `"need-declared" needs keys and a condition: ${quote(argument)}`,
    )
  }
  return { keys: [...new Set(keys)], condition: inner }
}

/** A key without spaces and commas, which separate keys, and without invisible characters. */
const KEY = /^[^\s,\p{Cc}\p{Cs}]+$/u

function checkKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError(`Not a key that can be declared: ${quote(key)}`)
}
