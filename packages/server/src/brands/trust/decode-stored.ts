/** Reads an assertion that the database keeps. */
import { DEFAULT_LIMITS, decode, type UnverifiedAssertion } from '@ratafia/assertions'

/**
 * Decodes without the rules of models and account-keys: a later release can have stricter ones, and stored
 * assertions can still be shown and replaced. Throws `AssertionError`.
 */
export const decodeStored = (encoded: Uint8Array): UnverifiedAssertion =>
  decode(encoded, DEFAULT_LIMITS, { rules: false })
