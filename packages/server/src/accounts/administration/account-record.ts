/** The record of an account that the API, `--json` and exports show. Times are RFC 3339 in UTC. */
import type { TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'

/** Returns a record for each account, in the same order. */
export async function accountRecords(accounts: readonly Account[], { secondFactors }: TransactionStores) {
  const protectedIds = await secondFactors.confirmedAmong(accounts.map(({ id }) => id))
  return accounts.map((account) => ({
    id: account.id,
    username: account.username,
    name: account.name,
    email: account.email,
    password: account.hasPassword,
    password_logins: account.passwordLoginsOffAt === undefined,
    reminders: account.remindersOffAt === undefined,
    second_factor: protectedIds.has(account.id),
    disabled_at: account.disabledAt?.toISOString() ?? null,
    logins_since: account.loginsSince?.toISOString() ?? null,
    created_at: account.createdAt.toISOString(),
    ...(account.removedAt && { removed_at: account.removedAt.toISOString() }),
  }))
}

export type AccountRecord = Awaited<ReturnType<typeof accountRecords>>[number]

export async function accountRecord(account: Account, stores: TransactionStores): Promise<AccountRecord> {
  const [record] = await accountRecords([account], stores)
  if (!record) throw new TypeError('a record for each account')
  return record
}
