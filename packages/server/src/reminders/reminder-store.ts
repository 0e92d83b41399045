/** The queue of reminders: the table `reminder`. A row stays when its reminder is sent, so that it is queued once. */
import { randomUUID } from 'node:crypto'
import { type Database, fromInstant, insertMany, inTransaction, toInstant } from '../database/index.ts'
import type { Channel, DueReminder, ReminderKey, ReminderKind } from './reminder.ts'

/** What finally became of a reminder. */
export type Settled = 'delivered' | 'dropped' | 'given-up'

export interface ReminderStore {
  /**
   * Queues those that were never queued, due at once; the primary key decides, however many processes do it. Returns how
   * many there were.
   */
  queue(keys: readonly ReminderKey[], at: Date): Promise<number>
  /**
   * Takes all that is due for one recipient, at most `limit`: until `until` no other process takes it. Of several that
   * try at once, one gets each. Empty when nothing is due.
   */
  take(of: {
    readonly channel: Channel
    readonly now: Date
    readonly until: Date
    readonly limit: number
  }): Promise<readonly DueReminder[]>
  /** What became of those. */
  settle(ids: readonly string[], outcome: Settled): Promise<void>
  /** Tries them again at that instant. */
  postpone(ids: readonly string[], until: Date): Promise<void>
  /** Gives up what is due and was queued before that instant. Returns how many there were. */
  giveUp(of: { readonly channel: Channel; readonly now: Date; readonly queuedBefore: Date }): Promise<number>
  /** Removes at most `limit` whose end was before that instant: it is in no step any more. Returns how many. */
  removeOld(before: Date, limit: number): Promise<number>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly reminders: ReminderStore
  }
}

const KEY = ['channel', 'recipient', 'kind', 'subject', 'ends_at', 'days'] as const

export function reminderStore({ query }: Pick<Database, 'query'>): ReminderStore {
  return {
    async queue(keys, at) {
      if (keys.length === 0) return 0
      const rows = keys.map(({ channel, recipient, kind, subject, endsAt, days }) => ({
        ...{ channel, recipient, kind, subject, ends_at: toInstant(endsAt), days },
        ...{ id: randomUUID(), queued_at: toInstant(at), attempts: 0, next_at: toInstant(at) },
      }))
      // Primary key.
      const result = await insertMany(query, 'reminder', rows)
        .onConflict((conflict) => conflict.columns(KEY).doNothing())
        .executeTakeFirst()
      return Number(result.numInsertedOrUpdatedRows ?? 0)
    },

    take: ({ channel, now, until, limit }) =>
      inTransaction(query, async (transaction) => {
        // Index reminder_due, all three.
        const due = () =>
          transaction
            .selectFrom('reminder')
            .where('channel', '=', channel)
            .where('next_at', 'is not', null)
            .where('next_at', '<=', toInstant(now))
        const first = await due()
          .select('recipient')
          .orderBy('next_at')
          .orderBy('recipient')
          .limit(1)
          .executeTakeFirst()
        if (!first) return []
        const rows = await transaction
          .updateTable('reminder')
          .set((set) => ({ next_at: toInstant(until), attempts: set('attempts', '+', 1) }))
          .where(
            'id',
            'in',
            due().select('id').where('recipient', '=', first.recipient).orderBy('next_at').limit(limit),
          )
          // Again, under the lock of the row: another process may have taken it.
          .where('next_at', '<=', toInstant(now))
          .returningAll()
          .execute()
        return rows
          .map((row) => ({
            channel: row.channel,
            recipient: row.recipient,
            // Only these are ever queued.
            kind: row.kind as ReminderKind,
            subject: row.subject,
            endsAt: fromInstant(row.ends_at),
            days: row.days,
            id: row.id,
            queuedAt: fromInstant(row.queued_at),
            attempts: row.attempts,
          }))
          .sort((one, other) => one.endsAt.getTime() - other.endsAt.getTime())
      }),

    async settle(ids, outcome) {
      if (ids.length === 0) return
      // The unique id.
      await query.updateTable('reminder').set({ next_at: null, outcome }).where('id', 'in', ids).execute()
    },

    async postpone(ids, until) {
      if (ids.length === 0) return
      // The unique id.
      await query
        .updateTable('reminder')
        .set({ next_at: toInstant(until) })
        .where('id', 'in', ids)
        .where('next_at', 'is not', null)
        .execute()
    },

    async giveUp({ channel, now, queuedBefore }) {
      // Index reminder_due.
      const { numUpdatedRows } = await query
        .updateTable('reminder')
        .set({ next_at: null, outcome: 'given-up' })
        .where('channel', '=', channel)
        .where('next_at', 'is not', null)
        .where('next_at', '<=', toInstant(now))
        .where('queued_at', '<', toInstant(queuedBefore))
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    async removeOld(before, limit) {
      // Index reminder_ends, then the unique id.
      const old = query
        .selectFrom('reminder')
        .select('id')
        .where('ends_at', '<', toInstant(before))
        .orderBy('ends_at')
        .limit(limit)
      const { numDeletedRows } = await query.deleteFrom('reminder').where('id', 'in', old).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}
