/** The second factors of accounts, their recovery codes, and the time steps whose code was used. */
import type { AccountId } from '@ratafia/api'
import { anyRowChanged, type Database, fromInstant, rowLock, toInstant } from '../../database/index.ts'

export interface SecondFactor {
  readonly id: string
  readonly accountId: AccountId
  /** `totp`; newer releases can have other kinds. */
  readonly kind: string
  /** The secret, sealed for `secondFactorPurpose(id)`. */
  readonly sealed: Uint8Array
  readonly createdAt: Date
  /** Undefined until its owner has proved that they have it. It is required only from then on. */
  readonly confirmedAt: Date | undefined
}

export interface SecondFactorStore {
  /** Returns all second factors of an account, confirmed or not. */
  of(accountId: AccountId): Promise<readonly SecondFactor[]>
  /** Returns the accounts that have a confirmed second factor. */
  confirmedAmong(accountIds: readonly AccountId[]): Promise<ReadonlySet<AccountId>>
  /** Returns false, and writes nothing, if the account already has a `totp` factor, even by a simultaneous call. */
  insert(factor: SecondFactor): Promise<boolean>
  /** Returns false if there is no unconfirmed one with this id. Of two simultaneous calls, one gets true. */
  confirm(id: string, at: Date): Promise<boolean>
  removeUnconfirmed(accountId: AccountId): Promise<void>
  /**
   * Removes the second factors and the recovery codes. The used steps stay, so that no code is accepted
   * twice. Returns false if there was no confirmed second factor.
   */
  removeAllOf(accountId: AccountId): Promise<boolean>
  /** Returns false if the code of this or a later step was used before. Of two simultaneous calls, one gets true. */
  useStep(accountId: AccountId, step: number, at: Date): Promise<boolean>
  /** Replaces the recovery codes. Call it in a transaction, once the account has a second factor. */
  replaceRecoveryCodes(accountId: AccountId, hashes: readonly Uint8Array[], at: Date): Promise<void>
  /** Returns false if there is no such code (any more). Of two simultaneous calls, one gets true. */
  useRecoveryCode(accountId: AccountId, hash: Uint8Array): Promise<boolean>
  recoveryCodesLeft(accountId: AccountId): Promise<number>
  /** Removes at most `limit` steps that were used before that instant. Returns the number of removed ones. */
  removeUsedSteps(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly secondFactors: SecondFactorStore
  }
}

export function secondFactorStore({ query }: Pick<Database, 'query'>): SecondFactorStore {
  /** Index: the primary key's first column. */
  const removeCodes = (accountId: AccountId) =>
    query.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()

  return {
    // Index: second_factor_account.
    of: async (accountId) => {
      const rows = await query
        .selectFrom('second_factor')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .execute()
      return rows.map(({ id, kind, sealed, created_at, confirmed_at }) => ({
        ...{ id, accountId, kind, sealed },
        createdAt: fromInstant(created_at),
        confirmedAt: fromInstant(confirmed_at) ?? undefined,
      }))
    },

    // Index: second_factor_account.
    confirmedAmong: async (accountIds) => {
      if (accountIds.length === 0) return new Set()
      const rows = await query
        .selectFrom('second_factor')
        .select('account_id')
        .where('account_id', 'in', accountIds)
        .where('confirmed_at', 'is not', null)
        .execute()
      // The cast is safe: only ids of accounts are ever written.
      return new Set(rows.map((row) => row.account_id as AccountId))
    },

    insert: async ({ id, accountId, kind, sealed, createdAt, confirmedAt }) => {
      const result = await query
        .insertInto('second_factor')
        .values({
          ...{ id, account_id: accountId, kind, sealed, created_at: toInstant(createdAt) },
          confirmed_at: confirmedAt ? toInstant(confirmedAt) : null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index: the primary key.
    confirm: async (id, at) => {
      const result = await query
        .updateTable('second_factor')
        .set({ confirmed_at: toInstant(at) })
        .where('id', '=', id)
        .where('confirmed_at', 'is', null)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index: second_factor_account.
    removeUnconfirmed: async (accountId) => {
      await query
        .deleteFrom('second_factor')
        .where('account_id', '=', accountId)
        .where('confirmed_at', 'is', null)
        .execute()
    },

    // Index: second_factor_account.
    removeAllOf: async (accountId) => {
      const removed = await query
        .deleteFrom('second_factor')
        .where('account_id', '=', accountId)
        .returning('confirmed_at')
        .execute()
      await removeCodes(accountId)
      return removed.some((row) => row.confirmed_at !== null)
    },

    // The primary key decides which of two calls came first.
    useStep: async (accountId, step, at) => {
      const result = await query
        .insertInto('used_time_step')
        .values({ account_id: accountId, step, used_at: toInstant(at) })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (!anyRowChanged(result)) return false
      // Refuse codes of earlier steps, which someone may have seen. Index: the primary key.
      const later = await query
        .selectFrom('used_time_step')
        .select('step')
        .where('account_id', '=', accountId)
        .where('step', '>', step)
        .limit(1)
        .executeTakeFirst()
      return later === undefined
    },

    replaceRecoveryCodes: async (accountId, hashes, at) => {
      // Simultaneous calls take turns, so that only the codes of one are left. Index: second_factor_account.
      await query
        .selectFrom('second_factor')
        .select('id')
        .where('account_id', '=', accountId)
        .modifyEnd(rowLock(query, 'no key update'))
        .execute()
      await removeCodes(accountId)
      const created_at = toInstant(at)
      await query
        .insertInto('recovery_code')
        .values(hashes.map((code_hash) => ({ account_id: accountId, code_hash, created_at })))
        .execute()
    },

    // Index: the primary key.
    useRecoveryCode: async (accountId, hash) => {
      const result = await query
        .deleteFrom('recovery_code')
        .where('account_id', '=', accountId)
        .where('code_hash', '=', hash)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index: the primary key's first column.
    recoveryCodesLeft: async (accountId) => {
      const { left } = await query
        .selectFrom('recovery_code')
        .select((eb) => eb.fn.countAll<number>().as('left'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow()
      return Number(left)
    },

    // Index: used_time_step_used, then the primary key.
    removeUsedSteps: async (before, limit) => {
      const old = await query
        .selectFrom('used_time_step')
        .select(['account_id', 'step'])
        .where('used_at', '<', toInstant(before))
        .orderBy('used_at')
        .limit(limit)
        .execute()
      for (const { account_id, step } of old) {
        await query
          .deleteFrom('used_time_step')
          .where('account_id', '=', account_id)
          .where('step', '=', step)
          .execute()
      }
      return old.length
    },
  }
}
