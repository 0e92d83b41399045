/** Somebody who can sign in and grant roles is always left (contract/administration.md, B13). */
import type { AccountId } from '@ratafia/api'
import { RequestError } from '../errors.ts'
import type { TransactionStores } from '../stores.ts'

/**
 * Within the transaction that takes the role, the sign-in or the account away, and before it does. An installation that
 * has no operator at all loses none. Throws {@link RequestError} `last-operator`.
 */
export async function requireOtherOperator(
  accountId: AccountId,
  { grants }: TransactionStores,
  now: Date,
): Promise<void> {
  const operators = await grants.lockOperators(now)
  if (!operators.includes(accountId) || operators.length > 1) return
  throw new RequestError(
    'last-operator',
    'This account is the last one that can sign in and has the role operator. Give another one the role first: `ratafia grants add USERNAME operator`.',
  )
}
