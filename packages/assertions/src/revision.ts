import type { UnverifiedAssertion } from './assertion.ts'
import { AssertionError } from './errors.ts'

/**
 * Checks that an assertion may replace the stored one with the same type and primary key: its revision must be higher,
 * unless nothing is stored. Throws {@link AssertionError} `same-revision` or `older-revision`; `TypeError` if the type
 * or the primary key differs.
 */
export function checkReplaces(proposed: UnverifiedAssertion, stored: UnverifiedAssertion | undefined): void {
  if (stored === undefined) return
  if (!isReferredTo(proposed, stored.type, stored.primaryKey)) {
    throw new TypeError('only an assertion of the same type and primary key can be replaced')
  }
  if (proposed.revision > stored.revision) return
  if (proposed.revision === stored.revision) {
    throw new AssertionError('same-revision', `revision ${stored.revision} is stored already`)
  }
  const fault = `revision ${proposed.revision} is older than the stored revision ${stored.revision}`
  throw new AssertionError('older-revision', fault)
}

/** Whether an assertion has this type and primary key. */
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
