import { type Kysely, sql } from 'kysely'
import { normalEmail } from '../../../text/email-address.ts'
import type { Words } from '../../differences.ts'
import type { Migration } from '../migration.ts'
import type { Schema } from '../schema.ts'

/** How many addresses the message names. */
const NAMED = 20

/**
 * Stores every e-mail address in its normal spelling, so that `account_email_key` also refuses a second account for an
 * address that is only spelled otherwise.
 */
export const emailAddresses: Migration = {
  name: '0027-email-addresses',
  statements: () => [],
  rows: respell,
}

/**
 * Reads all accounts once. Leaves an address that another account with a password has already: its owner can still sign
 * in with the address as it is stored.
 */
async function respell(query: Kysely<Schema>, { bytewise }: Words): Promise<string | undefined> {
  const key = sql.raw(`lower(email${bytewise})`)
  const { rows } = await sql<{ id: string; username: string; email: string; password_hash: string | null }>`
    select id, username, email, password_hash from account
    where octet_length(email) <> length(email) or ${key} like '%xn--%' order by username`.execute(query)
  const left: string[] = []
  for (const { id, username, email, password_hash } of rows) {
    const normal = normalEmail(email)
    if (normal === email) continue
    const others = await sql<{ username: string }>`
      select username from account where id <> ${id} and password_hash is not null
      and ${key} = lower(cast(${normal} as text)${sql.raw(bytewise)})`.execute(query)
    const [other] = others.rows
    if (other && password_hash !== null)
      left.push(`${email} of ${username} is ${normal} of ${other.username}`)
    else await sql`update account set email = ${normal} where id = ${id}`.execute(query)
  }
  if (left.length === 0) return undefined
  const named = left.slice(0, NAMED).join('; ')
  const more = left.length > NAMED ? `; and ${left.length - NAMED} more` : ''
  return `Some accounts share an e-mail address in two spellings: ${named}${more}. They still sign in with the address as spelled here. Give each account its own address with \`ratafia accounts set-email USERNAME EMAIL\`.`
}
