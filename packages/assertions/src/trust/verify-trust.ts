import type { TrustedAssertion, UnverifiedAssertion } from '../assertion.ts'
import { AssertionError } from '../errors.ts'
import { verifySignature } from '../keys/verify.ts'
import { isReferredTo } from '../revision.ts'
import { quote } from '../text.ts'
import { TYPES, type TypeName } from '../types/registry.ts'
import { checkConsistency } from './consistency.ts'
import { DEFAULT_POLICY, type Policy } from './policy.ts'
import { checkKeyMaySign, checkKeyValidNow, checkTimestamp } from './signing-key.ts'
import { findRoot, type TrustRoots } from './trust-roots.ts'

/**
 * Returns the highest revision of the assertion with this type and primary key, or undefined. It need not be trusted,
 * because its own chain is checked. If the function throws, `verifyTrust` throws the same error.
 */
export type FindAssertion = (
  type: TypeName,
  primaryKey: readonly string[],
) => Promise<UnverifiedAssertion | undefined> | UnverifiedAssertion | undefined

export interface TrustContext {
  readonly roots: TrustRoots
  readonly find: FindAssertion
  readonly now: Date
  readonly policy?: Policy
  /**
   * Assertions that passed earlier, which are not checked again. Those that pass now are added. Reuse a set only with
   * the same roots, policy and findable assertions, and only while every key found then is still valid.
   */
  readonly checked?: CheckedAssertions
}

/** A `Set` or a `WeakSet`. */
export type CheckedAssertions = Pick<WeakSet<UnverifiedAssertion>, 'has' | 'add'>

/** The longest accepted chain of keys that sign keys. Canonical's has two links. */
const MAXIMUM_DEPTH = 8

/**
 * Checks an assertion and its chain down to a trusted root. Its format must be known, its signature valid, and the
 * assertion consistent with others. The key must belong to its authority, be valid now and at the assertion's
 * timestamp, and be allowed to sign this. The same applies to every assertion that it relies on, except the roots.
 * Check types without authority with `verifySignature` or `verifySelfSigned`.
 *
 * Throws {@link AssertionError} `unexpected-type`, `unsupported-format`, a code of trust (see `AssertionErrorCode`),
 * or the errors of `verifySignature`; `TypeError` if `find` returns a different assertion. contract/devices.md 3.6
 * and 3.7.
 */
export async function verifyTrust<Type extends TypeName>(
  assertion: UnverifiedAssertion<Type>,
  context: TrustContext,
): Promise<TrustedAssertion<Type>> {
  const policy = context.policy ?? DEFAULT_POLICY
  // `Type` is one type or a union of several, so the assertion is one of all types.
  const checked = context.checked ?? new Set()
  await check(assertion as UnverifiedAssertion, { ...context, policy, above: [], checked })
  // `check` throws unless the chain leads to a root.
  return assertion as TrustedAssertion<Type>
}

interface Walk extends TrustContext {
  readonly policy: Policy
  /** The assertions that rely on this one, outermost first, to detect cycles. */
  readonly above: readonly UnverifiedAssertion[]
  readonly checked: CheckedAssertions
}

async function check(assertion: UnverifiedAssertion, walk: Walk): Promise<void> {
  if (walk.checked.has(assertion) || findRoot(walk.roots, assertion.type, assertion.primaryKey) === assertion)
    return
  checkPlace(assertion, walk)
  const below: Walk = { ...walk, above: [...walk.above, assertion] }
  const key = await signingKey(assertion, below)
  const { accountId, publicKey } = key.fields
  checkKeyValidNow(key, walk.now)
  // Verify the signature first, so that the constraints' patterns are never matched against a stranger's headers.
  verifySignature(assertion, publicKey, walk.policy)
  checkKeyMaySign(key, assertion.headers)
  const { timestamp } = assertion.fields as { readonly timestamp?: Date }
  if (timestamp !== undefined) checkTimestamp(key, { type: assertion.type, timestamp })
  await checkConsistency(assertion, {
    roots: walk.roots,
    authorityId: accountId,
    find: (type, primaryKey) => findChecked(type, primaryKey, below),
  })
  walk.checked.add(assertion)
}

function checkPlace({ type, primaryKey, format }: UnverifiedAssertion, { above }: Walk): void {
  if (!TYPES[type].authority) {
    const fault = `a ${type} has no authority: verify it with its key`
    throw new AssertionError('unexpected-type', fault)
  }
  const latest = TYPES[type].maxFormat
  if (format > latest) {
    const fault = `the ${type} has format ${format}; the newest known is ${latest}`
    throw new AssertionError('unsupported-format', fault)
  }
  if (above.length >= MAXIMUM_DEPTH || above.some((other) => isReferredTo(other, type, primaryKey))) {
    const fault = `the chain of the ${type} ${quote(primaryKey.join('/'))} does not lead to a trusted root`
    throw new AssertionError('untrusted', fault)
  }
}

async function signingKey(
  { signKeyId, authorityId = '' }: UnverifiedAssertion,
  walk: Walk,
): Promise<UnverifiedAssertion<'account-key'>> {
  const key = await findChecked('account-key', [signKeyId], walk)
  if (key?.type === 'account-key') return key
  const fault = `no account-key assertion for the signing key ${quote(signKeyId)} of ${quote(authorityId)}`
  throw new AssertionError('unknown-key', fault)
}

/** Finds a root, or looks the assertion up and checks its own chain. */
async function findChecked(
  type: TypeName,
  primaryKey: readonly string[],
  walk: Walk,
): Promise<UnverifiedAssertion | undefined> {
  const root = findRoot(walk.roots, type, primaryKey)
  if (root !== undefined) return root
  const found = await walk.find(type, primaryKey)
  if (found === undefined) return undefined
  if (!isReferredTo(found, type, primaryKey)) {
    throw new TypeError(`the look-up of ${type} ${primaryKey.join('/')} returned a different assertion`)
  }
  await check(found, walk)
  return found
}
