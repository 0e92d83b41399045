/** Ensures that an account that can sign in and grant roles is always left (contract/administration.md, B13). */
import type { AccountId } from '@ratafia/api'
import { RequestError } from '../errors.ts'
import type { TransactionStores } from '../stores.ts'

/**
 * Throws {@link RequestError} `last-operator` if the account is the last operator that can sign in. Call it
 * in the transaction that removes the role, the sign-in or the account, before that change. An installation
 * without any operator has none to lose.
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
    'This is the last account with the role operator that can sign in. Grant the role to another account first: `ratafia grants add USERNAME operator`.',
  )
}
