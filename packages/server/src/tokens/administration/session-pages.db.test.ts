/** Guarantee: a page of sessions reads few rows besides those it shows, in every order, for one account and for all. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type AccountId, newAccountId, newSessionId, type Username } from '@ratafia/api'
import { sql } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { accountStore } from '../../accounts/account-store.ts'
import { type Database, inTransaction } from '../../database/index.ts'
import type { SessionOrder, SessionPosition, UsedSession } from '../session.ts'
import { sessionStore } from '../session-store.ts'

const SESSIONS = 12_000
const LIMIT = 50
const NOW = new Date('2030-01-01T00:00:00Z')

const ORDERS: Readonly<Record<SessionOrder, (session: UsedSession) => Date>> = {
  newest: ({ validSince }) => validSince,
  'newest-management': ({ validSince }) => validSince,
  'next-to-end': ({ validUntil }) => validUntil,
  'last-ended': ({ validUntil }) => validUntil,
  'last-revoked': ({ revokedAt }) => revokedAt ?? assert.fail(),
}

eachDatabase((kind, open) => {
  let database: Database
  let ada: AccountId
  before(async () => {
    database = await open()
    const accounts = await Promise.all(
      ['ada', 'bob'].map(async (username) => {
        const id = newAccountId()
        const fields = { username: username as Username, email: '', name: username, passwordHash: undefined }
        assert.ok(await accountStore(database).insert({ id, ...fields, createdAt: NOW }))
        return id
      }),
    )
    ada = accounts[0] ?? assert.fail()
    const scattered = (index: number) => (index * 4001) % SESSIONS
    const rows = Array.from({ length: SESSIONS }, (_, index) => ({
      // A quarter belongs to ada, and a few are management tokens.
      ...{ session_id: newSessionId(), account_id: accounts[index % 4 ? 1 : 0] ?? '', description: null },
      // Many expire at the same instant, as happens when clients choose the expiry.
      ...{ valid_since: 1 + scattered(index), valid_until: 1 + Math.floor(index / 4_000), created_at: 1 },
      ...{ revoked_at: index % 7 < 2 ? 1 + scattered(index) : null, revoked_by: null },
      kind: index % 11 === 0 ? ('management' as const) : ('developer' as const),
    }))
    for (let at = 0; at < SESSIONS; at += 500) {
      await database.query
        .insertInto('token_session')
        .values(rows.slice(at, at + 500))
        .execute()
    }
    if (kind === 'postgres') await sql`analyze`.execute(database.query)
  })

  for (const [order, atOf] of Object.entries(ORDERS)) {
    for (const whose of ['one account', 'all accounts']) {
      test(`reads few rows for a page of the order ${order}, of ${whose}`, async () => {
        await inTransaction(database.query, async (query) => {
          const store = sessionStore({ query })
          const accountId = whose === 'one account' ? ada : undefined
          const seen = new Set<string>()
          let after: SessionPosition | undefined
          for (let page = 0; page < 4; page++) {
            const already = await rowsRead(query, 'token_session')
            // The cast is safe: it is a key of the table above.
            const of = { accountId, order: order as SessionOrder, after, limit: LIMIT }
            const rows = await store.page(of)
            const read = (await rowsRead(query, 'token_session')) - already
            assert.ok(rows.length === LIMIT || page > 0)
            assert.ok(read <= 3 * LIMIT, `page ${page} reads ${read} of ${SESSIONS} rows`)
            for (const row of rows) {
              assert.ok(!seen.has(row.id))
              seen.add(row.id)
              const at = atOf(row)
              const isNext = order === 'next-to-end' ? !after || after.at <= at : !after || at <= after.at
              assert.ok(isNext)
              after = { id: row.id, at }
            }
            if (rows.length < LIMIT) return
          }
        })
      })
    }
  }
})
