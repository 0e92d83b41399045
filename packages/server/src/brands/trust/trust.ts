/** The roots that the service trusts. Checks chains of assertions up to them, through the stored ones. */
import {
  AssertionError,
  checkReplaces,
  DEFAULT_LIMITS,
  decode,
  encode,
  isReferredTo,
  type TrustContext,
  type TrustedAssertion,
  type TrustRoots,
  type TypeName,
  trustRoots,
  type UnverifiedAssertion,
  verifyTrust,
} from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { explainToOperator, explainToOperatorAsync } from '../assertion-file.ts'
import type { Remembered } from '../brand-memory.ts'
import type { AssertionStore, StoredAssertion } from './assertion-store.ts'
import { CANONICAL_ROOTS } from './canonical-roots.ts'

/** Decoded once, because `verifyTrust` recognises a root by identity. */
export const BUILT_IN: readonly UnverifiedAssertion[] = CANONICAL_ROOTS.map((text) => decode(text))

/** Returns all trust roots: the built-in ones, then those that the operator added. */
export function rootAssertions({
  assertions,
  brandMemory,
}: TransactionStores): Promise<readonly UnverifiedAssertion[]> {
  return rootsIn(brandMemory?.current(), assertions)
}

async function rootsIn(
  remembered: Remembered | undefined,
  assertions: AssertionStore,
): Promise<readonly UnverifiedAssertion[]> {
  const read = async () => {
    const roots = [...BUILT_IN, ...(await assertions.roots()).map((encoded) => decodeStored(encoded))]
    for (const root of roots) if (remembered) noteExpiry(root, remembered)
    return roots
  }
  return (await remembered?.find('roots', read)) ?? read()
}

/** Finds a stored assertion or a root, because a root can also be a brand. Verifies nothing. */
export function findAssertion<Type extends TypeName>(
  type: Type,
  primaryKey: readonly string[],
  { assertions, brandMemory }: TransactionStores,
): Promise<UnverifiedAssertion<Type> | undefined> {
  return findIn(brandMemory?.current(), type, primaryKey, assertions)
}

async function findIn<Type extends TypeName>(
  remembered: Remembered | undefined,
  type: Type,
  primaryKey: readonly string[],
  assertions: AssertionStore,
): Promise<UnverifiedAssertion<Type> | undefined> {
  const name = primaryKey.join('/')
  const read = async () => {
    const encoded = await assertions.find(type, name)
    const found = encoded
      ? decodeStored(encoded)
      : (await rootsIn(remembered, assertions)).find((root) => isReferredTo(root, type, primaryKey))
    if (found && remembered) noteExpiry(found, remembered)
    return found
  }
  const found = remembered ? await remembered.find(`${type} ${name}`, read) : await read()
  // The comparison proves it, but doesn't narrow a type parameter.
  return found?.type === type ? (found as UnverifiedAssertion<Type>) : undefined
}

/** A chain is valid only as long as its keys are. */
function noteExpiry(assertion: UnverifiedAssertion, remembered: Remembered): void {
  const until = assertion.type === 'account-key' ? assertion.fields.until : undefined
  if (until) remembered.expires(until)
}

/** Each key belongs to one account. Throws `invalid-field` if an account already has this key. */
export async function requireUnusedKey(keyId: string, stores: Stores): Promise<void> {
  const owner = (await findAssertion('account-key', [keyId], stores))?.fields.accountId
  if (owner !== undefined) {
    throw invalidField(`The key ${keyId} is already a key of ${owner}. Give each account a key of its own.`)
  }
}

/**
 * Returns the context of `verifyTrust`: the roots, the time, and a look-up that prefers `given` over stored
 * assertions. Pass `roots` only to find out what would be valid with other roots, and without a cache. With a
 * cache, don't check the same object again with other `given` assertions that it depends on.
 */
export async function trustContext(
  { brandMemory, assertions, clock }: Stores,
  given: readonly UnverifiedAssertion[] = [],
  roots?: TrustRoots,
): Promise<TrustContext> {
  const remembered = brandMemory?.current()
  return {
    roots: roots ?? trustRoots(await rootsIn(remembered, assertions)),
    now: clock(),
    find: (type, primaryKey) =>
      given.find((one) => isReferredTo(one, type, primaryKey)) ??
      findIn(remembered, type, primaryKey, assertions),
    ...(remembered && !roots && { checked: remembered.checked }),
  }
}

/**
 * Checks the chain of each assertion, and returns those to store: not roots, and not those already stored byte for
 * byte. Throws `invalid-field` if a chain reaches no root, or an older revision would replace a newer one.
 */
export async function checkAssertions(
  given: readonly UnverifiedAssertion[],
  stores: Stores,
): Promise<readonly StoredAssertion[]> {
  const context = await trustContext(stores, given)
  const rows: StoredAssertion[] = []
  for (const assertion of given) {
    const { type, primaryKey, revision } = assertion
    const roots: readonly UnverifiedAssertion[] = [...context.roots.accounts, ...context.roots.keys]
    if (roots.some((root) => isReferredTo(root, type, primaryKey))) continue
    const what = `The ${type} assertion ${primaryKey.join('/')} is not valid`
    await explainToOperatorAsync(() => verifyTrust(assertion, context), what)
    const stored = await findAssertion(type, primaryKey, stores)
    const encoded = encode(assertion)
    if (stored && Buffer.compare(encode(stored), encoded) === 0) continue
    explainToOperator(
      () => checkReplaces(assertion, stored),
      `The ${type} assertion ${primaryKey.join('/')} is not stored`,
    )
    rows.push({ type, primaryKey: primaryKey.join('/'), revision, encoded })
  }
  return rows
}

/**
 * Decodes without the rules of models and account-keys: a later release can have stricter ones, and stored assertions
 * can still be shown and replaced. Throws `AssertionError`.
 */
export const decodeStored = (encoded: Uint8Array): UnverifiedAssertion =>
  decode(encoded, DEFAULT_LIMITS, { rules: false })

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
