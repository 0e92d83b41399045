/** Checks a chain up to a trusted root, with the node's cache if that is enough. */
import {
  AssertionError,
  type TrustedAssertion,
  type TypeName,
  type UnverifiedAssertion,
  verifyTrust,
} from '@ratafia/assertions'
import type { Stores } from '../../stores.ts'
import { trustContext } from './trust.ts'

/**
 * Works like `verifyTrust`, with a look-up that prefers `given`. The cache can only lead to acceptance: before anything
 * is refused, the database is read, because an operator may have just added a root or a key. Throws `AssertionError`.
 */
export async function verifyChain<Type extends TypeName>(
  assertion: UnverifiedAssertion<Type>,
  stores: Stores,
  given: readonly UnverifiedAssertion[] = [],
): Promise<TrustedAssertion<Type>> {
  const context = await trustContext(stores, given)
  if (!context.checked) return verifyTrust(assertion, context)
  try {
    return await verifyTrust(assertion, context)
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    return verifyTrust(assertion, await trustContext({ ...stores, brandMemory: undefined }, given))
  }
}
