/** Reads an assertion that the database keeps. */
import { AssertionError, decode, decodeStream, type UnverifiedAssertion } from '@ratafia/assertions'

/**
 * As `decode`, and also takes a newline too many before the signature: earlier releases stored it as it came. Throws
 * `AssertionError`.
 */
export function decodeStored(encoded: Uint8Array): UnverifiedAssertion {
  try {
    return decode(encoded)
  } catch (error) {
    const [assertion, ...more] = error instanceof AssertionError ? lenient(encoded) : []
    if (assertion && more.length === 0) return assertion
    throw error
  }
}

function lenient(encoded: Uint8Array): readonly UnverifiedAssertion[] {
  try {
    return decodeStream(encoded)
  } catch (error) {
    if (error instanceof AssertionError) return []
    throw error
  }
}
