// The tiny checks that the types are made of, with one message grammar: `"<header>" header <what is wrong>`.
// What they throw is an AssertionError without the type; `inType` puts "assertion <type>: " before it.

import { AssertionError } from '../errors.ts'
import { decodePublicKey, type PublicKey } from '../keys/public-key.ts'
import { quote, shown } from '../text.ts'
import { type Headers, isList } from './header-value.ts'
import { parseTimestamp } from './timestamp.ts'

const ACCOUNT_ID = /^(?:[a-z0-9A-Z]{32}|[-a-z0-9]{2,28})$/
const MODEL = /^[a-zA-Z0-9](?:-?[a-zA-Z0-9])*$/
/** SHA3-384 in base64url: 48 bytes are 64 characters, without padding. */
const DIGEST = /^[A-Za-z0-9_-]{64}$/

export function faulty(name: string, fault: string): AssertionError {
  return new AssertionError('malformed-header', `"${name}" header ${fault}`)
}

/** Runs the checks of a type; what they refuse names the type. */
export function inType<Result>(prefix: string, checks: () => Result): Result {
  try {
    return checks()
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    throw new AssertionError(error.code, `${prefix}: ${error.message}`, { cause: error })
  }
}

/** Text that may be missing. */
export function optionalText(headers: Headers, name: string): string | undefined {
  const value = headers.get(name)
  if (value !== undefined && typeof value !== 'string') throw faulty(name, 'must be a string')
  return value
}

/** Text that is there and not empty. */
export function text(headers: Headers, name: string): string {
  const value = optionalText(headers, name)
  if (value === undefined) throw faulty(name, 'is mandatory')
  if (value === '') throw faulty(name, 'should not be empty')
  return value
}

export function matchingText(headers: Headers, name: string, pattern: RegExp): string {
  const value = text(headers, name)
  if (!pattern.test(value)) throw faulty(name, `contains invalid characters: ${quote(value)}`)
  return value
}

export function accountId(headers: Headers, name: string): string {
  return matchingText(headers, name, ACCOUNT_ID)
}

/** The name of a model; upper case is reserved. */
export function modelName(headers: Headers): string {
  const value = matchingText(headers, 'model', MODEL)
  if (/[A-Z]/.test(value)) throw faulty('model', 'cannot contain uppercase letters')
  return value
}

export function hardwareName(headers: Headers): string {
  return matchingText(headers, 'hardware-name', MODEL)
}

/** The id of a key: a SHA3-384 digest. */
export function digest(headers: Headers, name: string): string {
  const value = text(headers, name)
  if (!DIGEST.test(value)) throw faulty(name, `is not a SHA3-384 digest in base64url: ${shown(value)}`)
  return value
}

export function optionalTimestamp(headers: Headers, name: string): Date | undefined {
  const value = optionalText(headers, name)
  if (value === undefined) return undefined
  const parsed = parseTimestamp(value)
  if ('fault' in parsed) throw faulty(name, `is not a RFC3339 date: ${parsed.fault}`)
  return parsed.date
}

export function timestamp(headers: Headers, name = 'timestamp'): Date {
  text(headers, name)
  return optionalTimestamp(headers, name) as Date
}

export function optionalBoolean(headers: Headers, name: string): boolean | undefined {
  const value = optionalText(headers, name)
  if (value !== undefined && value !== 'true' && value !== 'false') {
    throw faulty(name, "must be 'true' or 'false'")
  }
  return value === undefined ? undefined : value === 'true'
}

export function optionalTextList(headers: Headers, name: string): readonly string[] | undefined {
  const value = headers.get(name)
  if (value === undefined) return undefined
  if (!isTextList(value)) throw faulty(name, 'must be a list of strings')
  return value
}

export function optionalAccountIds(headers: Headers, name: string): readonly string[] | undefined {
  const value = headers.get(name)
  if (value === undefined) return undefined
  if (!isTextList(value) || !value.every((id) => ACCOUNT_ID.test(id))) {
    throw faulty(name, 'must be a list of account ids')
  }
  return value
}

/** Not below zero. Absent is 0 (contract/devices.md 3.2). */
export function count(headers: Headers, name: string): number {
  const number = integer(headers, name)
  const value = headers.get(name)
  if (number < 0) throw new AssertionError('malformed-header', `${name} should be positive: ${value}`)
  return number
}

/** Decimal as Go's Atoi reads it: a sign is fine, leading zeros are not. Absent is 0. */
export function integer(headers: Headers, name: string): number {
  const value = optionalText(headers, name)
  if (value === undefined) return 0
  if (!/^[+-]?[0-9]+$/.test(value)) throw faulty(name, `is not an integer: ${shown(value)}`)
  if (value.length > 1 && value.startsWith('0')) {
    throw faulty(name, `has invalid prefix zeros: ${shown(value)}`)
  }
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw faulty(name, `is out of range: ${shown(value)}`)
  // No negative zero: `-0` is an integer to Go, and 0.
  return number + 0
}

/** A key in a header, and its id beside it or as the signing key: they have to be the same. */
export function publicKeyWithId(encoded: string, id: string, mismatch: string): PublicKey {
  const key = decodePublicKey(encoded)
  if (key.id !== id) throw new AssertionError('malformed-header', mismatch)
  return key
}

function isTextList(value: unknown): value is readonly string[] {
  return isList(value as string) && (value as readonly unknown[]).every((item) => typeof item === 'string')
}
