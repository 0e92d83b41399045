// Checks whether an account's key may sign an assertion, apart from the cryptography (contract/devices.md 3.6).

import type { UnverifiedAssertion } from '../assertion.ts'
import { constraintsAllow } from '../constraints/constraints.ts'
import { AssertionError } from '../errors.ts'
import type { Headers } from '../headers/header-value.ts'
import { formatTimestamp } from '../headers/timestamp.ts'
import { quote } from '../text.ts'

type AccountKey = UnverifiedAssertion<'account-key'>

/**
 * Checks that the key is valid now: `since` <= now < `until`. Throws {@link AssertionError}
 * `key-not-yet-valid` or `key-expired`.
 */
export function checkKeyValidNow({ fields }: AccountKey, now: Date): void {
  if (isValidAt(fields, now)) return
  const code = now < fields.since ? 'key-not-yet-valid' : 'key-expired'
  const what = code === 'key-expired' ? 'has expired' : 'is not valid yet'
  throw new AssertionError(code, `${describe(fields)} ${what}: it is now ${formatTimestamp(now)}`)
}

/** Checks that an assertion's timestamp is within the key's validity. Throws `timestamp-outside-validity`. */
export function checkTimestamp(
  { fields }: AccountKey,
  { type, timestamp }: { readonly type: string; readonly timestamp: Date },
): void {
  if (isValidAt(fields, timestamp)) return
  const fault = `the timestamp of the ${type}, ${formatTimestamp(timestamp)}, is outside the validity of ${describe(fields)}`
  throw new AssertionError('timestamp-outside-validity', fault)
}

/**
 * Checks that the key belongs to the account in whose name it signs, and that its constraints allow an assertion with
 * these headers, signed or not. Throws {@link AssertionError} `wrong-key` or `not-allowed`.
 */
export function checkKeyMaySign({ fields }: AccountKey, headers: Headers): void {
  const authority = headers.get('authority-id')
  if (authority !== fields.accountId) {
    const owner = `belongs to ${quote(fields.accountId)}, not to ${quote(String(authority))}`
    throw new AssertionError('wrong-key', `the key ${quote(fields.publicKeyId)} ${owner}`)
  }
  if (constraintsAllow(fields.constraints, headers)) return
  const key = `the constraints of key ${quote(fields.publicKeyId)} of ${quote(fields.accountId)}`
  throw new AssertionError('not-allowed', `${key} do not allow this ${String(headers.get('type'))} assertion`)
}

/** Returns text such as `the key "…" of "acme" (valid from … until …)`. */
function describe({ publicKeyId, accountId, since, until }: AccountKey['fields']): string {
  const end = until === undefined ? '' : ` until ${formatTimestamp(until)}`
  return `the key ${quote(publicKeyId)} of ${quote(accountId)} (valid from ${formatTimestamp(since)}${end})`
}

function isValidAt({ since, until }: AccountKey['fields'], instant: Date): boolean {
  return instant >= since && (until === undefined || instant < until)
}
