import type { UnverifiedAssertion } from '../assertion.ts'
import { AssertionError } from '../errors.ts'
import { isReferredTo } from '../revision.ts'

/** The assertions that are trusted without a check. Every chain must lead to one of them. */
export interface TrustRoots {
  readonly accounts: readonly UnverifiedAssertion<'account'>[]
  readonly keys: readonly UnverifiedAssertion<'account-key'>[]
}

/**
 * Returns the trust roots for these account and account-key assertions. Their accounts may sign account, account-key
 * and store assertions. Their own signatures are not checked, so get them from a source you trust.
 *
 * Throws {@link AssertionError} `unexpected-type` for other types, `missing-key` for an account without a key,
 * `missing-account` for a key without its account.
 */
export function trustRoots(assertions: readonly UnverifiedAssertion[]): TrustRoots {
  const accounts: UnverifiedAssertion<'account'>[] = []
  const keys: UnverifiedAssertion<'account-key'>[] = []
  for (const assertion of assertions) {
    if (assertion.type === 'account') accounts.push(assertion)
    else if (assertion.type === 'account-key') keys.push(assertion)
    else {
      const fault = `trust roots are accounts and account-keys, not a ${assertion.type}`
      throw new AssertionError('unexpected-type', fault)
    }
  }
  for (const { accountId, publicKeyId } of keys.map(({ fields }) => fields)) {
    if (!accounts.some(({ fields }) => fields.accountId === accountId)) {
      const fault = `the trusted key ${publicKeyId} needs its account ${accountId} among the roots`
      throw new AssertionError('missing-account', fault)
    }
  }
  for (const { accountId } of accounts.map(({ fields }) => fields)) {
    if (!keys.some(({ fields }) => fields.accountId === accountId)) {
      throw new AssertionError('missing-key', `the trusted account ${accountId} needs a key among the roots`)
    }
  }
  return { accounts, keys }
}

export function isTrustedAccount(roots: TrustRoots, accountId: string): boolean {
  return roots.accounts.some(({ fields }) => fields.accountId === accountId)
}

/** Finds the root with this type and primary key. A root cannot be replaced, so look here first. */
export function findRoot(
  roots: TrustRoots,
  type: string,
  primaryKey: readonly string[],
): UnverifiedAssertion | undefined {
  const all: readonly UnverifiedAssertion[] = [...roots.accounts, ...roots.keys]
  return all.find((root) => isReferredTo(root, type, primaryKey))
}
