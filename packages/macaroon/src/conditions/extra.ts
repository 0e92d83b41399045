import { ATTENUATION_LIMITS, type Attenuations } from './attenuations.ts'
import { ConditionError, quote } from './errors.ts'

/** The keys of `extra` in the order in which they are written, with their fields. */
const KEYS = [
  ['channel', 'channels'],
  ['package_id', 'packages'],
  ['acl', 'permissions'],
  ['store_ids', 'storeIds'],
] as const

const KNOWN: ReadonlySet<string> = new Set(KEYS.map(([key]) => key))

/**
 * Writes attenuations with the exact spacing and escapes of Python's `json.dumps`:
 * `extra {"channel": null, "package_id": null, "acl": ["package_access"], "store_ids": null}`. Throws `TypeError` for
 * lists that `parseExtra` would refuse: empty ones (such a token could do nothing), duplicates, and lists or items that
 * are too long. The result can still exceed `DEFAULT_LIMITS.conditionBytes`, so check that before minting.
 */
export function formatExtra(attenuations: Attenuations): string {
  const items = KEYS.map(([key, field]) => {
    const list = attenuations[field]
    const problem = list === null ? undefined : problemOf(list)
    if (problem !== undefined) throw new TypeError(`Cannot write "${key}" of "extra": ${problem}`)
    return `"${key}": ${list === null ? 'null' : `[${list.map(asciiJson).join(', ')}]`}`
  })
  return `extra {${items.join(', ')}}`
}

/**
 * Reads the argument of `extra`: a JSON object with the keys `channel`, `package_id`, `acl` and `store_ids`
 * in any order, each a list of strings, null or missing (which means null). Throws {@link ConditionError}
 * `malformed-condition` for anything else, because an unknown key may be a restriction, and an empty list or
 * a repeated key or item is ambiguous; and `limit-exceeded` for lists or items that are too long.
 */
export function parseExtra(argument: string): Attenuations {
  const object = parseObject(argument)
  for (const key of Object.keys(object)) {
    if (!KNOWN.has(key)) throw malformed(`it has an unknown key ${quote(key)}`)
  }
  return {
    channels: readList(object, 'channel'),
    packages: readList(object, 'package_id'),
    permissions: readList(object, 'acl'),
    storeIds: readList(object, 'store_ids'),
  }
}

function parseObject(argument: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(argument)
  } catch {
    throw malformed('it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('it is not a JSON object')
  // JSON.parse keeps the last of two equal keys, and other readers keep the first. No value below contains
  // another object, so the number of colons outside strings is the number of keys as written.
  const keys = Object.keys(value).length
  // There are never fewer colons than keys, so the slower count without strings is only needed if a string has a colon.
  if (colons(argument) !== keys && colons(argument.replace(/"(?:[^"\\]|\\.)*"/g, '')) !== keys)
    throw malformed('it has a key twice, or a value is an object')
  return value as Record<string, unknown>
}

function colons(text: string): number {
  return text.split(':').length - 1
}

function readList(object: Record<string, unknown>, key: string): readonly string[] | null {
  const value = object[key] ?? null
  if (value === null) return null
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw malformed(`"${key}" is neither null nor a list of strings`)
  }
  const list: readonly string[] = value
  const { items, characters } = ATTENUATION_LIMITS
  if (list.length > items || list.some((item) => item.length > characters)) {
    throw new ConditionError(
      'limit-exceeded',
      `"${key}" of "extra" has over ${items} items or ${characters} characters`,
    )
  }
  const problem = problemOf(list)
  if (problem !== undefined) throw malformed(`"${key}": ${problem}`)
  return list
}

function problemOf(list: readonly string[]): string | undefined {
  if (list.length === 0) return 'the list is empty'
  if (list.length > ATTENUATION_LIMITS.items) return 'the list is too long'
  if (new Set(list).size !== list.length) return 'the list has an item twice'
  if (list.some((item) => item.length > ATTENUATION_LIMITS.characters)) return 'an item is too long'
  if (list.some((item) => item === '' || /[\p{Cc}\p{Cs}]/u.test(item)))
    return 'an item is empty or not printable'
  return undefined
}

/** Writes a string like Python's `json.dumps`, with everything beyond printable ASCII as `\uXXXX`. */
function asciiJson(text: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, escaped)
}

function malformed(why: string): ConditionError {
  return new ConditionError('malformed-condition', `Invalid restrictions of a token ("extra"): ${why}`)
}
