/** Down to whom a chain is checked: the trusted roots, and the assertions the service holds. */
import {
  checkReplaces,
  decode,
  encode,
  isReferredTo,
  type TrustContext,
  type TrustRoots,
  type TypeName,
  trustRoots,
  type UnverifiedAssertion,
  verifyTrust,
} from '@ratafia/assertions'
import type { Clock } from '../../clock.ts'
import { explainToOperator, explainToOperatorAsync } from '../assertion-file.ts'
import type { AssertionStore, StoredAssertion } from './assertion-store.ts'
import { CANONICAL_ROOTS } from './canonical-roots.ts'

export interface TrustDeps {
  readonly assertions: AssertionStore
  readonly clock: Clock
}

/** What is built in. Decoded once: `verifyTrust` tells a root by identity. */
export const BUILT_IN: readonly UnverifiedAssertion[] = CANONICAL_ROOTS.map((text) => decode(text))

/** What is trusted as it stands: what is built in, then what the operator added. */
export async function rootAssertions({
  assertions,
}: Pick<TrustDeps, 'assertions'>): Promise<readonly UnverifiedAssertion[]> {
  const added = await assertions.roots()
  return [...BUILT_IN, ...added.map((encoded) => decode(encoded))]
}

/** Finds one of the stored assertions, or of the roots: a root may be a brand too. Nothing is verified here. */
export async function findAssertion<Type extends TypeName>(
  type: Type,
  primaryKey: readonly string[],
  { assertions }: Pick<TrustDeps, 'assertions'>,
): Promise<UnverifiedAssertion<Type> | undefined> {
  const encoded = await assertions.find(type, primaryKey.join('/'))
  const found = encoded
    ? decode(encoded)
    : (await rootAssertions({ assertions })).find((root) => isReferredTo(root, type, primaryKey))
  // Proven by the comparison, which does not narrow a type parameter.
  return found?.type === type ? (found as UnverifiedAssertion<Type>) : undefined
}

/**
 * What `verifyTrust` needs: the roots, now, and a look-up that prefers what is `given` over what is stored. `roots`
 * only where it is asked what would hold with others.
 */
export async function trustContext(
  deps: TrustDeps,
  given: readonly UnverifiedAssertion[] = [],
  roots?: TrustRoots,
): Promise<TrustContext> {
  return {
    roots: roots ?? trustRoots(await rootAssertions(deps)),
    now: deps.clock(),
    find: (type, primaryKey) =>
      given.find((one) => isReferredTo(one, type, primaryKey)) ?? findAssertion(type, primaryKey, deps),
  }
}

/**
 * Checks the chain of each, and returns what is to be stored. One that is there already, byte for byte, or that is a
 * root, is not. Throws `invalid-field` when a chain reaches no root, or an older revision would replace a newer one.
 */
export async function checkAssertions(
  given: readonly UnverifiedAssertion[],
  deps: TrustDeps,
): Promise<readonly StoredAssertion[]> {
  const context = await trustContext(deps, given)
  const rows: StoredAssertion[] = []
  for (const assertion of given) {
    const { type, primaryKey, revision } = assertion
    const roots: readonly UnverifiedAssertion[] = [...context.roots.accounts, ...context.roots.keys]
    if (roots.some((root) => isReferredTo(root, type, primaryKey))) continue
    const what = `The ${type} assertion ${primaryKey.join('/')} does not hold`
    await explainToOperatorAsync(() => verifyTrust(assertion, context), what)
    const stored = await findAssertion(type, primaryKey, deps)
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
