import { decodeBase64 } from '../base64.ts'
import { MacaroonError } from '../errors.ts'
import { checkLimit, type Limits } from '../limits.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the text at `key`, or undefined if it is missing or null. Throws `malformed` for anything but text. */
export function textField(fields: Fields, key: string, limits: Limits): string | undefined {
  const value = fields[key] ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !value.isWellFormed()) throw malformedJson(`"${key}" is not text`)
  // No field of a macaroon within the limits is longer than this in base64 and JSON.
  checkLimit('A field with too many characters', value.length, 2 * limits.sliceBytes)
  return value
}

/** Returns the bytes at `key` (UTF-8) or at `key64` (base64). Throws `malformed` if both are there. */
export function bytesField(
  fields: Fields,
  key: string,
  key64: `${string}64`,
  limits: Limits,
): Uint8Array | undefined {
  const text = textField(fields, key, limits)
  const base64 = textField(fields, key64, limits)
  if (text !== undefined && base64 !== undefined) throw malformedJson(`it has "${key}" and "${key64}"`)
  if (base64 !== undefined) return decodeBase64(base64)
  return text === undefined ? undefined : Buffer.from(text, 'utf8')
}

/** Returns the caveats at `key`, a list of objects; empty if it is missing or null. */
export function caveatFields(fields: Fields, key: string, limits: Limits): readonly Fields[] {
  const list: unknown = fields[key] ?? []
  if (!Array.isArray(list)) throw malformedJson(`"${key}" is not a list`)
  checkLimit('Too many caveats', list.length, limits.caveats)
  for (const item of list as unknown[]) {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw malformedJson('a caveat is not an object')
  }
  return list as Fields[]
}

export function malformedJson(why: string): MacaroonError {
  return new MacaroonError('malformed', `Not a macaroon in JSON: ${why}`)
}
