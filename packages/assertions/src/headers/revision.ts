import type { UnverifiedAssertion } from '../assertion.ts'
import { AssertionError } from '../errors.ts'

/**
 * Checks that an assertion may take the place of the stored one with the same type and primary key: its
 * revision has to be higher. With nothing stored, anything may. Throws {@link AssertionError} `not-newer`;
 * `TypeError` when the two are not about the same thing.
 */
export function checkReplaces(proposed: UnverifiedAssertion, stored: UnverifiedAssertion | undefined): void {
  if (stored === undefined) return
  if (!isReferredTo(proposed, stored.type, stored.primaryKey)) {
    throw new TypeError('only an assertion of the same type and primary key can be replaced')
  }
  if (proposed.revision > stored.revision) return
  const fault =
    proposed.revision === stored.revision
      ? `revision ${proposed.revision} is already the current revision`
      : `revision ${proposed.revision} is older than current revision ${stored.revision}`
  throw new AssertionError('not-newer', fault)
}

/** Whether it is the assertion with this type and primary key. */
export function isReferredTo(
  assertion: UnverifiedAssertion,
  type: string,
  primaryKey: readonly string[],
): boolean {
  const own = assertion.primaryKey
  return (
    assertion.type === type &&
    own.length === primaryKey.length &&
    own.every((value, i) => value === primaryKey[i])
  )
}
