/** Guarantee: expiring and due rows are found by an index, and no large table is read. Plans of both databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { attentionStore } from '../../src/attention/attention-store.ts'
import { inTransaction, openDatabase } from '../../src/database/index.ts'
import { endingStore } from '../../src/reminders/ending-store.ts'
import { reminderStore } from '../../src/reminders/reminder-store.ts'
import { eachDatabase } from '../support/databases.ts'

eachDatabase((kind, open, fresh) => {
  test('each statement uses its index', async () => {
    await open()
    const texts: string[] = []
    const database = await openDatabase(await fresh.target(), {
      acquire: (run) => run(),
      statement: (text, run) => {
        texts.push(text)
        return run()
      },
    })
    const planOf = (text: string) =>
      inTransaction(database.query, async (query) => {
        if (kind === 'sqlite') {
          const { rows } = await sql.raw<{ detail: string }>(`explain query plan ${text}`).execute(query)
          return rows.map(({ detail }) => detail).join('\n')
        }
        // The tables are small here, so PostgreSQL would otherwise read them completely.
        await sql`set local enable_seqscan = off`.execute(query)
        await sql`set local enable_bitmapscan = off`.execute(query)
        const { rows } = await sql
          .raw<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`)
          .execute(query)
        return rows.map((row) => row['QUERY PLAN']).join('\n')
      })
    try {
      const endings = endingStore(database)
      const queue = reminderStore(database)
      const overview = attentionStore(database)
      const [now, later] = [new Date(), new Date(Date.now() + 1)]
      const page = { from: now, before: later, limit: 500 }
      const after = { endsAt: now, id: 'x' }
      const WANTED: readonly [index: string, table: string, run: () => Promise<unknown>][] = [
        ['token_session_reminded', 'token_session', () => endings.tokens({ ...page, after: undefined })],
        ['token_session_reminded', 'token_session', () => endings.tokens({ ...page, after })],
        ['token_session_reminded', 'token_session', () => overview.tokens(page, 10_000)],
        ['api_key_expires', 'api_key', () => endings.apiKeys({ ...page, after: undefined })],
        ['api_key_expires', 'api_key', () => endings.apiKeys({ ...page, after })],
        ['api_key_expires', 'api_key', () => overview.apiKeys('all', page, 100)],
        ['role_grant_expires', 'role_grant', () => endings.grants({ ...page, after: undefined })],
        ['reminder_due', 'reminder', () => queue.take({ channel: 'mail', now, until: later, limit: 1 })],
        ['reminder_due', 'reminder', () => queue.giveUp({ channel: 'mail', now, queuedBefore: now })],
        ['reminder_ends', 'reminder', () => queue.removeOld(now, 500)],
      ]
      for (const [index, table, run] of WANTED) {
        texts.length = 0
        await run()
        const [text, ...more] = texts.filter((one) => one.includes(table))
        assert.ok(text !== undefined && more.length === 0, texts.join('\n'))
        const plan = await planOf(text)
        assert.ok(plan.includes(index), `${index}: ${text}\n${plan}`)
      }
    } finally {
      await database.close()
    }
  })
})
