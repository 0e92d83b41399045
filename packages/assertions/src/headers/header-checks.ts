// The small checks that types consist of. Their messages have one form: `header "<name>" <what is wrong>`.
// `inType` puts "<type>: " before the message.

import { AssertionError, type AssertionErrorCode } from '../errors.ts'
import { decodePublicKey, type PublicKey } from '../keys/public-key.ts'
import { quote } from '../text.ts'
import { type Headers, isList } from './header-value.ts'
import { parseTimestamp } from './timestamp.ts'

const ACCOUNT_ID = /^(?:[a-z0-9A-Z]{32}|[-a-z0-9]{2,28})$/
const MODEL = /^[a-zA-Z0-9](?:-?[a-zA-Z0-9])*$/
/** A SHA3-384 digest in base64url: 48 bytes are 64 characters, without padding. */
const DIGEST = /^[A-Za-z0-9_-]{64}$/

type HeaderFault = Extract<AssertionErrorCode, `${string}-header` | 'header-mismatch'>

export function faulty(name: string, fault: string, code: HeaderFault = 'malformed-header'): AssertionError {
  return new AssertionError(code, `header "${name}" ${fault}`)
}

/** Runs checks, and puts the type before the messages of their errors. */
export function inType<Result>(type: string, checks: () => Result): Result {
  try {
    return checks()
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    throw new AssertionError(error.code, `${type}: ${error.message}`, { cause: error })
  }
}

/** Returns a header's text; undefined if it is missing. */
export function optionalText(headers: Headers, name: string): string | undefined {
  const value = headers.get(name)
  if (value !== undefined && typeof value !== 'string') throw faulty(name, 'is a list or a map, not text')
  return value
}

/** Returns a header's text, which must be there and not empty. */
export function text(headers: Headers, name: string): string {
  const value = optionalText(headers, name)
  if (value === undefined) throw faulty(name, 'is missing', 'missing-header')
  if (value === '') throw faulty(name, 'is empty', 'empty-header')
  return value
}

/** Returns a header's text, which must match. `what` names its form, such as `an account id`. */
function matchingText(headers: Headers, name: string, pattern: RegExp, what: string): string {
  const value = text(headers, name)
  if (!pattern.test(value)) throw faulty(name, `is not ${what}: ${quote(value)}`)
  return value
}

export function accountId(headers: Headers, name: string): string {
  return matchingText(headers, name, ACCOUNT_ID, 'an account id')
}

/** Returns the model's name, in which upper case is reserved. */
export function modelName(headers: Headers): string {
  const value = matchingText(headers, 'model', MODEL, 'the name of a model')
  if (/[A-Z]/.test(value)) throw faulty('model', `has capital letters: ${quote(value)}`)
  return value
}

export function hardwareName(headers: Headers): string {
  return matchingText(headers, 'hardware-name', MODEL, 'the name of hardware')
}

/** Returns the id of a key, a SHA3-384 digest. */
export function digest(headers: Headers, name: string): string {
  return matchingText(headers, name, DIGEST, 'a SHA3-384 digest in base64url')
}

export function optionalTimestamp(headers: Headers, name: string): Date | undefined {
  const value = optionalText(headers, name)
  if (value === undefined) return undefined
  const parsed = parseTimestamp(value)
  if ('fault' in parsed) throw faulty(name, `${parsed.fault}: ${quote(value)}`)
  return parsed.date
}

export function timestamp(headers: Headers, name = 'timestamp'): Date {
  text(headers, name)
  return optionalTimestamp(headers, name) as Date
}

export function optionalBoolean(headers: Headers, name: string): boolean | undefined {
  const value = optionalText(headers, name)
  if (value !== undefined && value !== 'true' && value !== 'false') {
    throw faulty(name, `is neither "true" nor "false": ${quote(value)}`)
  }
  return value === undefined ? undefined : value === 'true'
}

export function optionalTextList(headers: Headers, name: string): readonly string[] | undefined {
  const value = headers.get(name)
  if (value === undefined) return undefined
  if (!isTextList(value)) throw faulty(name, 'is not a list of strings')
  return value
}

export function optionalAccountIds(headers: Headers, name: string): readonly string[] | undefined {
  const value = headers.get(name)
  if (value === undefined) return undefined
  if (!isTextList(value) || !value.every((id) => ACCOUNT_ID.test(id))) {
    throw faulty(name, 'is not a list of account ids')
  }
  return value
}

/** Returns a number that must not be negative; 0 if the header is missing (contract/devices.md 3.2). */
export function count(headers: Headers, name: string): number {
  const number = integer(headers, name)
  if (number < 0) throw faulty(name, `is negative: ${number}`)
  return number
}

/** Returns a number, read as Go's Atoi does: with a sign but no leading zeros. 0 if the header is missing. */
export function integer(headers: Headers, name: string): number {
  const value = optionalText(headers, name)
  if (value === undefined) return 0
  if (!/^[+-]?[0-9]+$/.test(value)) throw faulty(name, `is not a whole number: ${quote(value)}`)
  if (value.length > 1 && value.startsWith('0')) {
    throw faulty(name, `has leading zeros: ${quote(value)}`)
  }
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw faulty(name, `is out of range: ${quote(value)}`)
  // Turns a negative zero into 0: Go reads `-0` as the integer 0.
  return number + 0
}

/** Reads a key and checks its id. Throws `header-mismatch` with the message `mismatch` if they differ. */
export function publicKeyWithId(encoded: string, id: string, mismatch: string): PublicKey {
  const key = decodePublicKey(encoded)
  if (key.id !== id) throw new AssertionError('header-mismatch', mismatch)
  return key
}

function isTextList(value: unknown): value is readonly string[] {
  return isList(value as string) && (value as readonly unknown[]).every((item) => typeof item === 'string')
}
