/** The record of an account for output. The code that creates it loads on demand, so that `--help` stays small. */
import type { Account } from '../../accounts/account.ts'
import type { AccountRecord } from '../../accounts/administration/account-record.ts'
import type { TransactionStores } from '../../stores.ts'

export const ACCOUNT_COLUMNS = [
  'username',
  'name',
  'email',
  'id',
  'password',
  'password_logins',
  'reminders',
  'second_factor',
  'disabled_at',
  'logins_since',
  'created_at',
] as const

export async function accountRow(account: Account, installation: TransactionStores): Promise<AccountRecord> {
  const { accountRecord } = await import('../../accounts/administration/account-record.ts')
  return accountRecord(account, installation)
}
