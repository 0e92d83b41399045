/** Takes what is personal out of an account, in the tables that refer to it. */
import type { AccountId, Username } from '@ratafia/api'
import { anyRowChanged, type Database, toInstant } from '../../database/index.ts'

export interface AccountRemovalStore {
  /**
   * Within a transaction: ends the account and whatever is its own, and leaves a row without a person, whose username is
   * `replacement`. Its sessions keep their ids and become revoked: a revocation must not be forgotten while macaroons of
   * the session are good. Returns how many were not revoked before; undefined if the account was removed before.
   */
  clear(
    account: { readonly id: AccountId; readonly username: Username },
    removal: { readonly replacement: Username; readonly at: Date; readonly by: string },
  ): Promise<number | undefined>
}

export function accountRemovalStore({ query }: Pick<Database, 'query'>): AccountRemovalStore {
  return {
    async clear({ id, username }, { replacement, at, by }) {
      const instant = toInstant(at)
      // Primary key. First: whoever gives the account something waits for this row, and then sees it removed.
      const cleared = await query
        .updateTable('account')
        .set((eb) => ({
          username: replacement,
          email: '',
          name: '',
          password_hash: null,
          disabled_at: eb.fn.coalesce('disabled_at', eb.val(instant)),
          removed_at: instant,
        }))
        .where('id', '=', id)
        .where('removed_at', 'is', null)
        .executeTakeFirst()
      if (!anyRowChanged(cleared)) return undefined
      // Indexes external_identity_account, agent_account and sign_in_session_account.
      await query.deleteFrom('external_identity').where('account_id', '=', id).execute()
      await query.deleteFrom('agent').where('account_id', '=', id).execute()
      await query.deleteFrom('sign_in_session').where('account_id', '=', id).execute()
      // Each stays until it expires, because a login is decided once. It has no index by account; the table is small.
      await query
        .updateTable('completed_login')
        .set({ decision: 'denied' })
        .where('account_id', '=', id)
        .execute()
      // Index token_session_account_valid_until.
      const sessions = () => query.updateTable('token_session').where('account_id', '=', id)
      const { numUpdatedRows } = await sessions()
        .set({ revoked_at: instant, revoked_by: by })
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      await sessions().set({ revoked_by: replacement }).where('revoked_by', '=', username).execute()
      await sessions().set({ description: null }).where('description', 'is not', null).execute()
      return Number(numUpdatedRows)
    },
  }
}
