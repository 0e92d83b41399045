/** The details of accounts that lists show from other tables: roles, agents, newest session. */
import type { AccountId, Role, Username } from '@ratafia/api'
import type { HeldRole } from '../../authority.ts'
import { type Database, fromInstant, toInstant } from '../../database/index.ts'

interface AccountSummary {
  readonly id: AccountId
  readonly username: Username
  /** The roles that have not expired, by role and brand. */
  readonly roles: readonly HeldRole[]
  readonly agents: number
  /** When the newest session in the database was opened. */
  readonly newestSessionAt: Date | undefined
}

export interface AccountSummaryStore {
  /**
   * Returns the summaries of the accounts with these usernames or ids, by username. Omits accounts that don't exist.
   */
  of(
    named: { readonly usernames: readonly Username[]; readonly ids: readonly AccountId[] },
    now: Date,
  ): Promise<readonly AccountSummary[]>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly accountSummaries: AccountSummaryStore
  }
}

export function accountSummaryStore({ query }: Pick<Database, 'query'>): AccountSummaryStore {
  return {
    // Indexes: the primary key and the unique one on username; agent_account and token_session_account_since for each.
    async of({ usernames, ids }, now) {
      if (usernames.length + ids.length === 0) return []
      const accounts = await query
        .selectFrom('account')
        .select(['account.id', 'account.username'])
        .select((where) => [
          where
            .selectFrom('agent')
            .select(({ fn }) => fn.countAll().as('agents'))
            .whereRef('agent.account_id', '=', 'account.id')
            .as('agents'),
          where
            .selectFrom('token_session')
            .select(({ fn }) => fn.max('valid_since').as('newest'))
            .whereRef('token_session.account_id', '=', 'account.id')
            .as('newest'),
        ])
        .where((where) =>
          where.or([
            ...(usernames.length > 0 ? [where('account.username', 'in', usernames)] : []),
            ...(ids.length > 0 ? [where('account.id', 'in', ids)] : []),
          ]),
        )
        .execute()
      const roles = await rolesOf(
        accounts.map(({ id }) => id),
        now,
      )
      return accounts
        .map(({ id, username, agents, newest }) => ({
          // The casts are safe: ids and usernames are checked when they are written.
          id: id as AccountId,
          username: username as Username,
          roles: roles.get(id) ?? [],
          agents: Number(agents),
          newestSessionAt: newest === null ? undefined : fromInstant(Number(newest)),
        }))
        .sort((one, other) => (one.username < other.username ? -1 : 1))
    },
  }

  /** Index: the primary key. */
  async function rolesOf(ids: readonly string[], now: Date): Promise<ReadonlyMap<string, HeldRole[]>> {
    const roles = new Map<string, HeldRole[]>()
    if (ids.length === 0) return roles
    const rows = await query
      .selectFrom('role_grant')
      .select(['subject', 'role', 'brand_id'])
      .where('subject_kind', '=', 'account')
      .where('subject', 'in', ids)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', toInstant(now))]))
      .orderBy('role')
      .orderBy('brand_id')
      .execute()
    for (const { subject, role, brand_id } of rows) {
      // The cast is safe: only checked grants are ever inserted.
      const held = { role: role as Role, brandId: brand_id === '' ? undefined : brand_id }
      roles.set(subject, [...(roles.get(subject) ?? []), held])
    }
    return roles
  }
}
