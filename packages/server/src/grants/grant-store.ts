/** The table `role_grant`: the roles of accounts. */
import type { AccountId, Role } from '@ratafia/api'
import {
  announce,
  anyRowChanged,
  type Database,
  fromInstant,
  inTransaction,
  rowLock,
  toInstant,
} from '../database/index.ts'
import type { Grant, GrantKey, ListedGrant } from './grant.ts'

export interface GrantFilter {
  readonly accountId?: AccountId | undefined
  readonly role?: Role | undefined
  /** The brand; undefined for any grant, null for grants for all brands. */
  readonly brandId?: string | null | undefined
}

export interface GrantStore {
  /** Returns the grants of an account that have not expired at `now`. */
  heldBy(accountId: AccountId, now: Date): Promise<readonly Grant[]>
  /** Lists grants by account, role and brand, after the grant `after`, including expired ones. */
  list(
    filter: GrantFilter,
    page: { readonly after?: GrantKey | undefined; readonly limit: number },
  ): Promise<readonly ListedGrant[]>
  find(key: GrantKey): Promise<ListedGrant | undefined>
  /** Returns false, and stores nothing, if this grant exists and has not expired at `grant.grantedAt`. */
  add(grant: Grant): Promise<boolean>
  /** Returns false if there is no such grant. */
  remove(key: GrantKey): Promise<boolean>
  /** Removes them in the transaction that removes the account. Returns their number. */
  removeAllOf(accountId: AccountId): Promise<number>
  /**
   * Returns the accounts that have the role operator, are enabled and can sign in. Blocks other transactions that call
   * this until the caller's transaction ends, so that two changes cannot each rely on the other's operator as the last.
   */
  lockOperators(now: Date): Promise<readonly AccountId[]>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly grants: GrantStore
  }
}

export function grantStore({ query }: Pick<Database, 'query'>): GrantStore {
  /** Returns the primary key. */
  const keyOf = ({ accountId, role, brandId = '' }: GrantKey) =>
    ({ subject_kind: 'account', subject: accountId, role, brand_id: brandId }) as const
  const listed = () =>
    query
      .selectFrom('role_grant')
      .innerJoin('account', 'account.id', 'role_grant.subject')
      .selectAll('role_grant')
      .select('account.username')

  return {
    async heldBy(id, now) {
      // Index: the primary key.
      const rows = await query
        .selectFrom('role_grant')
        .selectAll()
        .where('subject_kind', '=', 'account')
        .where('subject', '=', id)
        .where((where) =>
          where.or([where('expires_at', 'is', null), where('expires_at', '>', toInstant(now))]),
        )
        .orderBy('role')
        .orderBy('brand_id')
        .execute()
      return rows.map(grantOf)
    },

    // The primary key in its order. With a role or a brand this scans the table, which is small.
    async list({ accountId, role, brandId }, { after, limit }) {
      let select = listed()
      if (accountId !== undefined) select = select.where('subject', '=', accountId)
      if (role !== undefined) select = select.where('role', '=', role)
      if (brandId !== undefined) select = select.where('brand_id', '=', brandId ?? '')
      if (after) {
        const { subject, role, brand_id } = keyOf(after)
        select = select.where((where) =>
          where(where.refTuple('subject', 'role', 'brand_id'), '>', where.tuple(subject, role, brand_id)),
        )
      }
      const rows = await select
        .where('subject_kind', '=', 'account')
        .orderBy('subject')
        .orderBy('role')
        .orderBy('brand_id')
        .limit(limit)
        .execute()
      return rows.map(listedOf)
    },

    // Primary key.
    async find(key) {
      const row = await listed()
        .where((where) => where.and(keyOf(key)))
        .executeTakeFirst()
      return row && listedOf(row)
    },

    add: (grant) =>
      inTransaction(query, async (transaction) => {
        const at = toInstant(grant.grantedAt)
        const given = {
          granted_at: at,
          granted_by: grant.grantedBy,
          expires_at: grant.expiresAt ? toInstant(grant.expiresAt) : null,
          agents: grant.agents.length === 0 ? null : JSON.stringify(grant.agents),
        }
        const result = await transaction
          .insertInto('role_grant')
          .values({ ...keyOf(grant), ...given })
          .onConflict((conflict) =>
            conflict
              .columns(['subject_kind', 'subject', 'role', 'brand_id'])
              .doUpdateSet(given)
              .where('role_grant.expires_at', '<=', at),
          )
          .executeTakeFirst()
        if (!anyRowChanged(result)) return false
        await announce(transaction, 'role-grant', [grant.accountId])
        return true
      }),

    remove: (key) =>
      inTransaction(query, async (transaction) => {
        const result = await transaction
          .deleteFrom('role_grant')
          .where((where) => where.and(keyOf(key)))
          .executeTakeFirst()
        if (Number(result.numDeletedRows) === 0) return false
        await announce(transaction, 'role-grant', [key.accountId])
        return true
      }),

    removeAllOf: (accountId) =>
      inTransaction(query, async (transaction) => {
        // The primary key begins with these two columns.
        const { numDeletedRows } = await transaction
          .deleteFrom('role_grant')
          .where('subject_kind', '=', 'account')
          .where('subject', '=', accountId)
          .executeTakeFirst()
        const removed = Number(numDeletedRows)
        if (removed > 0) await announce(transaction, 'role-grant', [accountId])
        return removed
      }),

    async lockOperators(now) {
      // Index role_grant_role. Always in the same order, so that two of these cannot deadlock.
      const locked = await query
        .selectFrom('role_grant')
        .select(['subject', 'expires_at'])
        .where('role', '=', 'operator')
        .where('subject_kind', '=', 'account')
        .orderBy('subject')
        .modifyEnd(rowLock(query, 'no key update'))
        .execute()
      const current = locked.filter(({ expires_at }) => expires_at === null || expires_at > toInstant(now))
      if (current.length === 0) return []
      // Primary key, and the index external_identity_account for each.
      const able = await query
        .selectFrom('account')
        .select('id')
        .where(
          'id',
          'in',
          current.map(({ subject }) => subject),
        )
        .where('disabled_at', 'is', null)
        .where((where) =>
          where.or([
            where('password_hash', 'is not', null),
            where.exists(
              where
                .selectFrom('external_identity')
                .select('external_identity.account_id')
                .whereRef('external_identity.account_id', '=', 'account.id'),
            ),
          ]),
        )
        .execute()
      // The cast is safe: only ids of accounts are ever written.
      return able.map(({ id }) => id as AccountId)
    },
  }
}

interface GrantRow {
  readonly subject: string
  readonly role: string
  readonly brand_id: string
  readonly granted_at: number
  readonly granted_by: string
  readonly expires_at: number | null
  readonly agents: string | null
}

const grantOf = (row: GrantRow): Grant => ({
  // The casts are safe: only checked grants are ever inserted. A role of a newer release has no permissions here.
  accountId: row.subject as AccountId,
  role: row.role as Role,
  brandId: row.brand_id === '' ? undefined : row.brand_id,
  grantedAt: fromInstant(row.granted_at),
  grantedBy: row.granted_by,
  expiresAt: fromInstant(row.expires_at) ?? undefined,
  agents: row.agents === null ? [] : JSON.parse(row.agents),
})

const listedOf = (row: GrantRow & { readonly username: string }): ListedGrant => ({
  ...grantOf(row),
  username: row.username,
})
