import { type Kysely, sql } from 'kysely'
import type { Words } from '../../differences.ts'
import type { Migration } from '../migration.ts'
import type { Schema } from '../schema.ts'

/** How many addresses the message names. */
const NAMED = 20

/**
 * People log in with an e-mail address too, so no two accounts with a password may share one. Second factors: the
 * secrets, the time steps whose code was used, the recovery codes. One-time links to a new password.
 */
export const publisherLogins: Migration = {
  name: '0014-publisher-logins',
  check: sharedAddresses,
  statements: ({ bytes, bytewise, instant, strict }) => [
    // Letters of other alphabets count as they are: the two databases would not agree on their case.
    `create unique index account_email_key on account (lower(email${bytewise}))
      where password_hash is not null and email <> ''`,
    // Since when programs may not log in with the password. Null: they may.
    `alter table account add column password_logins_off_at ${instant}`,
    // For another kind, "sealed" has whatever that kind keeps. Several of a kind may belong to an account.
    `create table second_factor (
      id text not null constraint second_factor_id_key primary key,
      account_id text not null constraint second_factor_account_fk references account (id),
      kind text not null,
      sealed ${bytes} not null,
      created_at ${instant} not null,
      confirmed_at ${instant}
    )${strict}`,
    'create index second_factor_account on second_factor (account_id)',
    // Of one-time codes an account has one secret.
    `create unique index second_factor_totp_key on second_factor (account_id) where kind = 'totp'`,
    // The primary key lets the code of each step be used once.
    `create table used_time_step (
      account_id text not null constraint used_time_step_account_fk references account (id),
      step ${instant} not null,
      used_at ${instant} not null,
      constraint used_time_step_account_id_step_key primary key (account_id, step)
    )${strict}`,
    'create index used_time_step_used on used_time_step (used_at)',
    // Whoever uses a code deletes its row.
    `create table recovery_code (
      account_id text not null constraint recovery_code_account_fk references account (id),
      code_hash ${bytes} not null,
      created_at ${instant} not null,
      constraint recovery_code_account_id_code_hash_key primary key (account_id, code_hash)
    )${strict}`,
    // Whoever uses a link deletes its row. Like a sign-in, it ends with the logins of the account.
    `create table reset_link (
      secret_hash ${bytes} not null constraint reset_link_secret_hash_key primary key,
      account_id text not null constraint reset_link_account_fk references account (id),
      logins_since ${instant} not null,
      created_at ${instant} not null,
      expires_at ${instant} not null
    )${strict}`,
    'create index reset_link_account on reset_link (account_id)',
    'create index reset_link_expires on reset_link (expires_at)',
  ],
}

/** Reads all accounts, once. */
async function sharedAddresses(query: Kysely<Schema>, { bytewise }: Words): Promise<string | undefined> {
  const address = sql.raw(`lower(email${bytewise})`)
  const { rows } = await sql<{ address: string; username: string }>`
    select ${address} as address, username from account
    where password_hash is not null and ${address} in (
      select ${address} from account
      where password_hash is not null and email <> ''
      group by ${address} having count(*) > 1
    )`.execute(query)
  if (rows.length === 0) return undefined
  const shared = [...Map.groupBy(rows, (row) => row.address)].sort()
  const lines = shared.slice(0, NAMED).map(([text, accounts]) => {
    const usernames = accounts.map(({ username }) => username).sort()
    return `  ${text}: ${usernames.join(', ')}`
  })
  return [
    'Accounts with a password share an e-mail address, and from this release on people log in with theirs:',
    ...lines,
    ...(shared.length > NAMED ? [`  and ${shared.length - NAMED} more addresses`] : []),
    'Nothing was changed. Give each account an address of its own (`ratafia accounts set-email USERNAME EMAIL`), and migrate again.',
  ].join('\n')
}
