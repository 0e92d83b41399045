/** Rows of `token_session`, `api_key` and `role_grant` that expire soon, and the recipients of reminders about them. */
import type { AccountId, SessionId, Username } from '@ratafia/api'
import { type Selectable, sql } from 'kysely'
import {
  type Database,
  fromInstant,
  isReminded,
  isRemindedKey,
  type Schema,
  toInstant,
} from '../database/index.ts'
import type { Addressee } from './reminder.ts'

/** A page of rows that expire in an interval, sorted by expiry, after `after`. */
interface EndingPage {
  readonly from: Date
  readonly before: Date
  readonly after: EndingPosition | undefined
  readonly limit: number
}

export interface EndingPosition {
  readonly endsAt: Date
  readonly id: string
}

/** An account that can receive reminders. */
export interface Recipient extends Addressee {
  readonly id: AccountId
}

interface EndingToken {
  readonly id: SessionId
  readonly since: Date
  readonly endsAt: Date
  readonly description: string | undefined
  readonly accountId: AccountId
  readonly username: Username
  /** Undefined if the owner does not get reminders by e-mail: there is no address, or they are switched off. */
  readonly recipient: Recipient | undefined
}

interface EndingApiKey {
  readonly id: string
  readonly since: Date
  readonly endsAt: Date
  readonly brandId: string
}

interface EndingGrant {
  readonly accountId: AccountId
  readonly role: string
  readonly brandId: string | undefined
  readonly since: Date
  readonly endsAt: Date
  readonly recipient: Recipient | undefined
}

export interface GrantPosition {
  readonly endsAt: Date
  readonly accountId: string
  readonly role: string
  readonly brandId: string | undefined
}

export interface EndingStore {
  /**
   * Returns developer-token sessions of enabled accounts that are neither revoked nor shortened, that were
   * not opened by a rule for CI jobs, and that live for at least three days.
   */
  tokens(page: EndingPage): Promise<readonly EndingToken[]>
  /** Returns one such session; undefined if the id doesn't belong to one. */
  token(id: string): Promise<EndingToken | undefined>
  /** Returns API keys that are neither revoked nor used up. */
  apiKeys(page: EndingPage): Promise<readonly EndingApiKey[]>
  /** Returns roles of enabled accounts that expire in the interval. */
  grants(
    page: Omit<EndingPage, 'after'> & { readonly after: GrantPosition | undefined },
  ): Promise<readonly EndingGrant[]>
  /**
   * Returns the accounts that manage a brand, or all brands, and get mail: those that are enabled, have an
   * address and have not switched reminders off. At most a thousand.
   */
  managersOf(brandId: string, now: Date): Promise<readonly Recipient[]>
  /** Returns the account, if it gets mail. */
  recipient(id: string): Promise<Recipient | undefined>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly endings: EndingStore
  }
}

/** No brand has more managers than this. */
const MOST_MANAGERS = 1_000

type AccountRow = Pick<
  Selectable<Schema['account']>,
  'id' | 'username' | 'name' | 'email' | 'disabled_at' | 'reminders_off_at'
>

const ACCOUNT = [
  'account.id',
  'account.username',
  'account.name',
  'account.email',
  'account.disabled_at',
  'account.reminders_off_at',
] as const

export function endingStore({ query }: Pick<Database, 'query'>): EndingStore {
  const tokens = () =>
    query
      .selectFrom('token_session')
      .innerJoin('account', 'account.id', 'token_session.account_id')
      .select(['session_id', 'valid_since', 'valid_until', 'description'])
      .select(ACCOUNT)
      .where('disabled_at', 'is', null)
      .where(isReminded)

  return {
    async tokens({ from, before, after, limit }) {
      // Uses the index token_session_reminded, and the account's primary key.
      let page = tokens()
        .where('valid_until', '>=', toInstant(from))
        .where('valid_until', '<', toInstant(before))
      if (after) {
        page = page.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('valid_until', 'session_id'), '>', tuple(toInstant(after.endsAt), after.id)),
        )
      }
      const rows = await page.orderBy('valid_until').orderBy('session_id').limit(limit).execute()
      return rows.map(tokenOf)
    },

    async token(id) {
      // Uses the primary key.
      const row = await tokens().where('session_id', '=', id).executeTakeFirst()
      return row && tokenOf(row)
    },

    async apiKeys({ from, before, after, limit }) {
      // Uses the index api_key_expires.
      let page = query
        .selectFrom('api_key')
        .select(['id', 'brand_id', 'created_at', sql<number>`expires_at`.as('ends_at')])
        .where(isRemindedKey)
        .where('expires_at', '>=', toInstant(from))
        .where('expires_at', '<', toInstant(before))
      if (after) {
        page = page.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('expires_at', 'id'), '>', tuple(toInstant(after.endsAt), after.id)),
        )
      }
      const rows = await page.orderBy('expires_at').orderBy('id').limit(limit).execute()
      return rows.map((row) => ({
        ...{ id: row.id, brandId: row.brand_id },
        ...{ since: fromInstant(row.created_at), endsAt: fromInstant(Number(row.ends_at)) },
      }))
    },

    async grants({ from, before, after, limit }) {
      // Uses the index role_grant_expires, and the account's primary key.
      let page = query
        .selectFrom('role_grant')
        .innerJoin('account', 'account.id', 'role_grant.subject')
        .select(['role', 'brand_id', 'granted_at', sql<number>`role_grant.expires_at`.as('ends_at')])
        .select(ACCOUNT)
        .where('subject_kind', '=', 'account')
        .where('disabled_at', 'is', null)
        .where('expires_at', 'is not', null)
        .where('expires_at', '>=', toInstant(from))
        .where('expires_at', '<', toInstant(before))
      if (after) {
        const { endsAt, accountId, role, brandId = '' } = after
        page = page.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('expires_at', 'subject', 'role', 'brand_id'),
            '>',
            tuple(toInstant(endsAt), accountId, role, brandId),
          ),
        )
      }
      const rows = await page
        .orderBy('expires_at')
        .orderBy('subject')
        .orderBy('role')
        .orderBy('brand_id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        // The column contains only ids of accounts.
        accountId: row.id as AccountId,
        role: row.role,
        brandId: row.brand_id === '' ? undefined : row.brand_id,
        since: fromInstant(row.granted_at),
        endsAt: fromInstant(Number(row.ends_at)),
        recipient: recipientOf(row),
      }))
    },

    async managersOf(brandId, now) {
      // Uses the index role_grant_role, and the accounts' primary key.
      const rows = await query
        .selectFrom('role_grant')
        .innerJoin('account', 'account.id', 'role_grant.subject')
        .select(ACCOUNT)
        .distinct()
        .where('subject_kind', '=', 'account')
        .where('role', 'in', ['brand-manager', 'operator'])
        .where('brand_id', 'in', ['', brandId])
        .where((where) =>
          where.or([where('expires_at', 'is', null), where('expires_at', '>', toInstant(now))]),
        )
        .orderBy('account.id')
        .limit(MOST_MANAGERS)
        .execute()
      return rows.flatMap((row) => recipientOf(row) ?? [])
    },

    async recipient(id) {
      // Uses the primary key.
      const row = await query.selectFrom('account').select(ACCOUNT).where('id', '=', id).executeTakeFirst()
      return row && recipientOf(row)
    },
  }
}

function recipientOf(row: AccountRow): Recipient | undefined {
  if (row.disabled_at !== null || row.reminders_off_at !== null || row.email === '') return undefined
  // Stored values were checked when they were written.
  return { id: row.id as AccountId, username: row.username as Username, name: row.name, email: row.email }
}

interface TokenRow extends AccountRow {
  readonly session_id: string
  readonly valid_since: number
  readonly valid_until: number
  readonly description: string | null
}

const tokenOf = (row: TokenRow): EndingToken => ({
  // The casts are safe: only valid ids are ever inserted.
  id: row.session_id as SessionId,
  since: fromInstant(row.valid_since),
  endsAt: fromInstant(row.valid_until),
  description: row.description ?? undefined,
  accountId: row.id as AccountId,
  username: row.username as Username,
  recipient: recipientOf(row),
})
