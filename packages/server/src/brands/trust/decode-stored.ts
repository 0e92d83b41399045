/** Reads an assertion that the database keeps. */
import {
  AssertionError,
  DEFAULT_LIMITS,
  decode,
  decodeStream,
  type UnverifiedAssertion,
} from '@ratafia/assertions'

/**
 * As `decode`, and accepts what earlier releases stored: a newline too many before the signature, and models and
 * account-keys that break a rule which came later, so that they can be shown and replaced. Throws `AssertionError`.
 */
export function decodeStored(encoded: Uint8Array): UnverifiedAssertion {
  try {
    return decode(encoded, DEFAULT_LIMITS, { rules: false })
  } catch (error) {
    const [assertion, ...more] = error instanceof AssertionError ? lenient(encoded) : []
    if (assertion && more.length === 0) return assertion
    throw error
  }
}

function lenient(encoded: Uint8Array): readonly UnverifiedAssertion[] {
  try {
    return decodeStream(encoded, DEFAULT_LIMITS, { rules: false })
  } catch (error) {
    if (error instanceof AssertionError) return []
    throw error
  }
}
