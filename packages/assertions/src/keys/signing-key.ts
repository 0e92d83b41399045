// Whether an account's key may sign an assertion, apart from the cryptography (contract/devices.md 3.6).

import type { UnverifiedAssertion } from '../assertion.ts'
import { constraintsAllow } from '../constraints/constraints.ts'
import { AssertionError } from '../errors.ts'
import type { Headers } from '../headers/header-value.ts'
import { describeInstant, formatTimestamp } from '../headers/timestamp.ts'
import { quote } from '../text.ts'

type AccountKey = UnverifiedAssertion<'account-key'>

/**
 * Checks that the key may be used now: `since` <= now < `until`. Throws {@link AssertionError}
 * `key-not-valid`.
 */
export function checkKeyValidNow({ fields }: AccountKey, now: Date): void {
  if (isValidAt(fields, now)) return
  const [since, until] = [formatTimestamp(fields.since), fields.until && formatTimestamp(fields.until)]
  const range = until === undefined ? `valid since ${since}` : `valid during [${since}, ${until})`
  const when = now < fields.since ? 'not yet valid' : 'expired'
  const key = `${when} public key ${quote(fields.publicKeyId)} from ${quote(fields.accountId)}`
  const fault = `assertion is signed with ${key}: current time is ${formatTimestamp(now)} but key is ${range}`
  throw new AssertionError('key-not-valid', fault)
}

/** Checks that an assertion's timestamp is within the key's validity. Throws `key-not-valid`. */
export function checkTimestamp(
  { fields }: AccountKey,
  { type, timestamp }: { readonly type: string; readonly timestamp: Date },
): void {
  if (isValidAt(fields, timestamp)) return
  const until = fields.until === undefined ? '' : ` until "${describeInstant(fields.until)}"`
  const range = `key valid since "${describeInstant(fields.since)}"${until}`
  const when = `${type} assertion timestamp "${describeInstant(timestamp)}"`
  throw new AssertionError('key-not-valid', `${when} outside of signing key validity (${range})`)
}

/**
 * Checks that the key belongs to the account in whose name it signs, and that its constraints allow an
 * assertion with these headers, which need not be signed yet. Throws {@link AssertionError} `wrong-key` or
 * `not-allowed`.
 */
export function checkKeyMaySign({ fields }: AccountKey, headers: Headers): void {
  const authority = headers.get('authority-id')
  if (authority !== fields.accountId) {
    const owner = `belongs to ${quote(fields.accountId)}, not to ${quote(String(authority))}`
    throw new AssertionError('wrong-key', `signing key ${quote(fields.publicKeyId)} ${owner}`)
  }
  if (constraintsAllow(fields.constraints, headers)) return
  const key = `the constraints of key ${quote(fields.publicKeyId)} of ${quote(fields.accountId)}`
  throw new AssertionError('not-allowed', `${key} do not allow this ${String(headers.get('type'))} assertion`)
}

function isValidAt({ since, until }: AccountKey['fields'], instant: Date): boolean {
  return instant >= since && (until === undefined || instant < until)
}
