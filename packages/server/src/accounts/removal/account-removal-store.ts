/** Removes the personal data of an account from all tables that refer to it. */
import type { AccountId, Username } from '@ratafia/api'
import { announce, changeAnnounced, type Database, inTransaction, toInstant } from '../../database/index.ts'

export interface AccountRemovalStore {
  /**
   * Removes everything that belongs to the account, and leaves an anonymous row with the username
   * `replacement`. Its sessions keep their ids and are revoked, because a revocation must not be forgotten
   * while macaroons of the session could still be valid. Returns undefined if the account was removed before.
   */
  clear(
    account: { readonly id: AccountId; readonly username: Username },
    removal: { readonly replacement: Username; readonly at: Date; readonly by: string },
  ): Promise<Cleared | undefined>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly accountRemovals: AccountRemovalStore
  }
}

interface Cleared {
  /** The number of sessions that this revoked. */
  readonly sessions: number
  /** The number of removed CI rules. */
  readonly rules: number
}

export function accountRemovalStore({ query }: Pick<Database, 'query'>): AccountRemovalStore {
  return {
    clear: ({ id, username }, { replacement, at, by }) =>
      inTransaction(query, async (transaction) => {
        const instant = toInstant(at)
        const cleared = await changeAnnounced(transaction, { kind: 'account', id }, () =>
          // Primary key. This comes first: other transactions that add something to the account wait for this
          // row, and then see that it is removed.
          transaction
            .updateTable('account')
            .set((eb) => ({
              username: replacement,
              email: '',
              name: '',
              password_hash: null,
              password_logins_off_at: null,
              reminders_off_at: null,
              disabled_at: eb.fn.coalesce('disabled_at', eb.val(instant)),
              removed_at: instant,
            }))
            .where('id', '=', id)
            .where('removed_at', 'is', null),
        )
        if (!cleared) return undefined
        // Indexes external_identity_account, agent_account and sign_in_session_account.
        await transaction.deleteFrom('external_identity').where('account_id', '=', id).execute()
        const agents = await transaction
          .deleteFrom('agent')
          .where('account_id', '=', id)
          .returning('name')
          .execute()
        const names = agents.map(({ name }) => name)
        await announce(transaction, 'agent', names)
        // Index publisher_rule_account. Before the sessions, because an exchange in progress locks its rule.
        const rules = await transaction
          .deleteFrom('publisher_rule')
          .where('account_id', '=', id)
          .returning('id')
          .execute()
        await transaction.deleteFrom('sign_in_session').where('account_id', '=', id).execute()
        // Indexes second_factor_account, reset_link_account, kept_form_account, and primary keys that begin
        // with the account.
        for (const table of [
          'second_factor',
          'recovery_code',
          'used_time_step',
          'reset_link',
          'idempotent_request',
          'kept_form',
        ] as const) {
          await transaction.deleteFrom(table).where('account_id', '=', id).execute()
        }
        // The primary key begins with these two columns.
        await transaction
          .deleteFrom('reminder')
          .where('channel', '=', 'mail')
          .where('recipient', '=', id)
          .execute()
        // Index job_account. A running job stops because the session that created it is revoked.
        await transaction
          .updateTable('job')
          .set({ made_by: replacement, source: '' })
          .where('account_id', '=', id)
          .execute()
        // The rows stay until they expire, because a login is decided once. The table has no index by
        // account, but it is small.
        await transaction
          .updateTable('completed_login')
          .set({ decision: 'denied' })
          .where('account_id', '=', id)
          .execute()
        // Index token_session_account_valid_until.
        const sessions = () => transaction.updateTable('token_session').where('account_id', '=', id)
        const revoked = await sessions()
          .set({ revoked_at: instant, revoked_by: by })
          .where('revoked_at', 'is', null)
          .returning('session_id')
          .execute()
        const sessionIds = revoked.map((row) => row.session_id)
        await announce(transaction, 'token-session', sessionIds)
        await sessions().set({ revoked_by: replacement }).where('revoked_by', '=', username).execute()
        await sessions()
          .set({ description: null, job: null, origin: null, opened_from: null, user_agent: null })
          .where((eb) =>
            eb.or(
              (['description', 'job', 'origin', 'opened_from', 'user_agent'] as const).map((column) =>
                eb(column, 'is not', null),
              ),
            ),
          )
          .execute()
        // Primary key, and the same index. After the sessions: uses that a process stores later find them revoked.
        await transaction
          .deleteFrom('token_activity')
          .where(
            'session_id',
            'in',
            transaction.selectFrom('token_session').select('session_id').where('account_id', '=', id),
          )
          .execute()
        return { sessions: revoked.length, rules: rules.length }
      }),
  }
}
