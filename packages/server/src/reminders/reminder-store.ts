/**
 * The queue of reminders: the table `reminder`. A row stays after its reminder is sent, so that each is
 * queued only once.
 */
import { randomUUID } from 'node:crypto'
import {
  type Database,
  fromInstant,
  insertMany,
  inTransaction,
  removeBefore,
  toInstant,
} from '../database/index.ts'
import type { Channel, DueReminder, ReminderKey, ReminderKind } from './reminder.ts'

/** The final outcome of a reminder. */
export type Settled = 'delivered' | 'dropped' | 'given-up'

export interface ReminderStore {
  /**
   * Queues the reminders that were never queued, due at once. The primary key decides, however many processes
   * queue them. Returns how many were new.
   */
  queue(keys: readonly ReminderKey[], at: Date): Promise<number>
  /**
   * Claims all due reminders of one recipient, at most `limit`: no other process gets them until `until`. If
   * several processes try at once, one gets each. Returns an empty list if nothing is due.
   */
  take(of: {
    readonly channel: Channel
    readonly now: Date
    readonly until: Date
    readonly limit: number
  }): Promise<readonly DueReminder[]>
  /** Stores the outcome of these reminders. */
  settle(ids: readonly string[], outcome: Settled): Promise<void>
  /** Schedules them again for that instant. */
  postpone(ids: readonly string[], until: Date): Promise<void>
  /** Gives up due reminders that were queued before that instant. Returns how many. */
  giveUp(of: { readonly channel: Channel; readonly now: Date; readonly queuedBefore: Date }): Promise<number>
  /**
   * Removes at most `limit` reminders about things that expired before that instant, which no step needs any
   * more. Returns how many.
   */
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
      // Uses the primary key.
      const result = await insertMany(query, 'reminder', rows)
        .onConflict((conflict) => conflict.columns(KEY).doNothing())
        .executeTakeFirst()
      return Number(result.numInsertedOrUpdatedRows ?? 0)
    },

    take: ({ channel, now, until, limit }) =>
      inTransaction(query, async (transaction) => {
        // All three statements use the index reminder_due.
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
          // Checked again under the lock of the row: another process may have claimed it.
          .where('next_at', '<=', toInstant(now))
          .returningAll()
          .execute()
        return rows
          .map((row) => ({
            channel: row.channel,
            recipient: row.recipient,
            // Only these kinds are ever queued.
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
      // Uses the unique id.
      await query.updateTable('reminder').set({ next_at: null, outcome }).where('id', 'in', ids).execute()
    },

    async postpone(ids, until) {
      if (ids.length === 0) return
      // Uses the unique id.
      await query
        .updateTable('reminder')
        .set({ next_at: toInstant(until) })
        .where('id', 'in', ids)
        .where('next_at', 'is not', null)
        .execute()
    },

    async giveUp({ channel, now, queuedBefore }) {
      // Uses the index reminder_due.
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

    // Uses the index reminder_ends, then the unique id.
    removeOld: (before, limit) =>
      removeBefore(query, { table: 'reminder', key: 'id', column: 'ends_at' }, before, limit),
  }
}
