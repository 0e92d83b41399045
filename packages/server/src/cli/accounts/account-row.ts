/** An account as commands show it. */
import type { Account } from '../../accounts/account.ts'
import type { Installation } from '../installation.ts'
import type { RowOf } from '../output.ts'

export const ACCOUNT_COLUMNS = [
  'username',
  'name',
  'email',
  'id',
  'password',
  'password_logins',
  'second_factor',
  'disabled_at',
  'logins_since',
  'created_at',
] as const

type AccountRow = RowOf<typeof ACCOUNT_COLUMNS>

export async function accountRows(
  accounts: readonly Account[],
  { secondFactors }: Pick<Installation, 'secondFactors'>,
): Promise<readonly AccountRow[]> {
  const protectedIds = await secondFactors.confirmedAmong(accounts.map(({ id }) => id))
  return accounts.map((account) => ({
    id: account.id,
    username: account.username,
    name: account.name,
    email: account.email,
    password: account.hasPassword,
    password_logins: account.passwordLoginsOffAt === undefined,
    second_factor: protectedIds.has(account.id),
    disabled_at: account.disabledAt?.toISOString() ?? null,
    logins_since: account.loginsSince?.toISOString() ?? null,
    created_at: account.createdAt.toISOString(),
    ...(account.removedAt && { removed_at: account.removedAt.toISOString() }),
  }))
}

export async function accountRow(
  account: Account,
  installation: Pick<Installation, 'secondFactors'>,
): Promise<AccountRow> {
  const [row] = await accountRows([account], installation)
  if (!row) throw new TypeError('a row for each account')
  return row
}
