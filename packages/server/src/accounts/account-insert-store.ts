/** The statements that insert accounts and their identities, for `account-store.ts`. */
import type { AccountId, Username } from '@ratafia/api'
import { anyRowChanged, type Database, toInstant } from '../database/index.ts'

type Query = Database['query']

/** A person as known to an identity service: its location, and the userid or username it declares. */
export interface ExternalIdentity {
  readonly issuer: string
  readonly subject: string
}

export interface NewAccount {
  readonly id: AccountId
  readonly username: Username
  readonly email: string
  readonly name: string
  readonly passwordHash: string | undefined
  readonly createdAt: Date
}

/**
 * First removes the setup link, which works only while there is no account. A transaction that uses the link has locked
 * its row, so this insert comes after it; one that uses it later finds no link.
 */
export async function insertAccount(query: Query, account: NewAccount): Promise<boolean> {
  // One row at most.
  await query.deleteFrom('setup_link').execute()
  const result = await query
    .insertInto('account')
    .values(accountRow(account))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return anyRowChanged(result)
}

export async function insertIdentity(
  query: Query,
  identity: ExternalIdentity,
  id: AccountId,
  at: Date,
): Promise<boolean> {
  const result = await query
    .insertInto('external_identity')
    .values({ ...identity, account_id: id, created_at: toInstant(at) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return anyRowChanged(result)
}

const accountRow = ({ passwordHash, createdAt, ...account }: NewAccount) => ({
  ...account,
  password_hash: passwordHash ?? null,
  disabled_at: null,
  logins_since: null,
  removed_at: null,
  password_logins_off_at: null,
  created_at: toInstant(createdAt),
})
