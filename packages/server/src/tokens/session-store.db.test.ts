import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AccountId, newAccountId, newSessionId, type SessionId, type Username } from '@ratafia/api'
import { eachDatabase } from '../../test/support/databases.ts'
import { openingOf } from '../../test/support/openings.ts'
import { accountStore } from '../accounts/account-store.ts'
import { type Database, inTransaction } from '../database/index.ts'
import type { Session } from './session.ts'
import { type SessionStore, sessionStore } from './session-store.ts'

const DAY = 86_400_000
const NOW = new Date('2030-01-01T00:00:00Z')
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds)

eachDatabase((kind, open) => {
  let database: Database
  let store: SessionStore
  /** The store of another node. */
  let elsewhere: SessionStore
  let ada: AccountId
  let bob: AccountId
  const add = async (username: string) => {
    const id = newAccountId()
    const fields = { username: username as Username, email: '', name: username, passwordHash: undefined }
    assert.ok(await accountStore(database).insert({ id, ...fields, createdAt: NOW }))
    return id
  }
  before(async () => {
    database = await open()
    store = sessionStore(database)
    elsewhere = sessionStore(await open())
    ada = await add('ada')
    bob = await add('bob')
  })
  const session = (accountId: AccountId, more: Partial<Session> = {}): Session => ({
    id: newSessionId(),
    accountId,
    description: undefined,
    openedIn: undefined,
    validSince: NOW,
    validUntil: later(DAY),
    revokedAt: undefined,
    revokedBy: undefined,
    job: undefined,
    kind: 'developer',
    origin: undefined,
    openedFrom: undefined,
    userAgent: undefined,
    limits: undefined,
    ...more,
  })
  const openNew = async (accountId: AccountId, more: Partial<Session> = {}) => {
    const wanted = session(accountId, more)
    assert.equal(await store.open(openingOf(wanted, NOW)), true)
    return wanted
  }
  const find = async (id: SessionId): Promise<Session | undefined> => {
    const found = (await store.list({ limit: 1_000 })).find((one) => one.id === id)
    if (!found) return undefined
    const { username: _, ...stored } = found
    return stored
  }
  const entriesOf = (id: SessionId) =>
    database.query
      .selectFrom('audit_entry')
      .select(['action', 'actor', 'at'])
      .where('subject', '=', id)
      .execute()

  for (const open of ['open', 'openPatiently'] as const) {
    test(`${open} stores a session and its entry unchanged, and only once`, async () => {
      const facts = { openedFrom: '192.0.2.1', userAgent: 'snapcraft/9.0.1', limits: '{"channels":["edge"]}' }
      const wanted = session(ada, { description: 'laptop “ü”\n\t"\\', ...facts })
      assert.equal(await store[open](openingOf(wanted, NOW)), true)
      assert.deepEqual(await find(wanted.id), wanted)
      const entry = { action: 'token.open', actor: 'account:ada', at: NOW.getTime() }
      assert.deepEqual(await entriesOf(wanted.id), [entry])
      assert.equal(await store[open](openingOf({ ...wanted, accountId: bob }, NOW)), false)
      assert.deepEqual(await find(wanted.id), wanted)
      assert.equal((await entriesOf(wanted.id)).length, 1)
    })
  }

  test('if two nodes open one id many times at once, one opening wins and has the only entry', async () => {
    const id = newSessionId()
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const wanted = session(index % 2 === 0 ? ada : bob, { id, description: `opening ${index}` })
        return (index % 3 === 0 ? store : elsewhere).open(openingOf(wanted, NOW))
      }),
    )
    assert.equal(all.filter(Boolean).length, 1)
    assert.equal((await find(id))?.description, `opening ${all.indexOf(true)}`)
    assert.equal((await entriesOf(id)).length, 1)
  })

  test('many sessions opened at once are each stored once, and an invalid one fails alone', async () => {
    const wanted = Array.from({ length: 100 }, (_, index) =>
      session(ada, { description: index === 50 ? 'broken \ud800 text' : `login ${index}` }),
    )
    const all = await Promise.allSettled(wanted.map((one) => store.open(openingOf(one, NOW))))
    assert.deepEqual(
      all.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
      [50],
    )
    const stored = await database.query
      .selectFrom('token_session')
      .select('session_id')
      .where(
        'session_id',
        'in',
        wanted.map(({ id }) => id),
      )
      .execute()
    assert.equal(stored.length, 99)
    for (const { id } of wanted.slice(40, 60)) {
      assert.equal((await entriesOf(id)).length, id === wanted[50]?.id ? 0 : 1)
    }
  })

  test('does not open a session for an account that is disabled, or whose logins were invalidated since', async () => {
    const accounts = accountStore(database)
    const cleo = await add('cleo')
    const [early, late] = [session(cleo), session(cleo)]
    await accounts.endLogins(cleo, later(5))
    const dan = session(ada)
    const opened = await Promise.all([
      store.open(openingOf(early, NOW)),
      store.open(openingOf(late, NOW, later(5))),
      store.open(openingOf(dan, NOW)),
    ])
    assert.deepEqual(opened, [false, true, true])
    await accounts.disable(cleo, later(6))
    for (const open of [store.open, store.openPatiently]) {
      assert.equal(await open(openingOf(session(cleo), NOW, later(5))), false)
    }
    assert.equal(await find(early.id), undefined)
    assert.deepEqual(await entriesOf(early.id), [])
    assert.equal((await entriesOf(late.id)).length, 1)
  })

  test('a change to an account does not delay sessions of other accounts, and a session that waits for it sees the change', async () => {
    const eve = await add('eve')
    const [own, other] = [session(eve), session(ada)]
    let patient: Promise<boolean> | undefined
    await inTransaction(database.query, async (transaction) => {
      await accountStore({ query: transaction }).disable(eve, NOW)
      // SQLite has one writer, and all others wait for it.
      if (kind === 'postgres') {
        const opened = await Promise.all([own, other].map((one) => elsewhere.open(openingOf(one, NOW))))
        assert.deepEqual(opened, [false, true])
      }
      patient = elsewhere.openPatiently(openingOf(own, NOW))
      // Long enough to reach the lock.
      await sleep(100)
    })
    assert.equal(await patient, false)
    assert.deepEqual(await entriesOf(own.id), [])
  })

  test('opening a revoked session again does not restore it', async () => {
    const wanted = await openNew(ada)
    await store.revoke({ id: wanted.id, at: later(1000), by: 'ada' })
    assert.equal(await store.open(openingOf(wanted, later(2000))), false)
    assert.deepEqual((await find(wanted.id))?.revokedAt, later(1000))
  })

  test('if many requests revoke a session at once, the first takes effect and all get its record', async () => {
    const { id } = await openNew(ada)
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) => store.revoke({ id, at: later(index), by: `person-${index}` })),
    )
    assert.equal(new Set(all.map((each) => each?.session.revokedBy)).size, 1)
    assert.equal(all.filter((each) => each?.first).length, 1)
    const again = await store.revoke({ id, at: later(DAY), by: 'late' })
    assert.deepEqual(again, { session: all[0]?.session, first: false })
  })

  test('does not revoke a session of another account, and answers as if it did not exist', async () => {
    const { id } = await openNew(ada)
    assert.equal(await store.revoke({ id, accountId: bob, at: NOW, by: 'bob' }), undefined)
    assert.equal(await store.revoke({ id: newSessionId(), accountId: bob, at: NOW, by: 'bob' }), undefined)
    assert.equal((await find(id))?.revokedAt, undefined)
    assert.equal((await store.revoke({ id, accountId: ada, at: NOW, by: 'ada' }))?.session.revokedBy, 'ada')
  })

  test('lists the newest sessions first, of one account or all, active or all, up to the limit', async () => {
    const ids: SessionId[] = []
    for (const [index, more] of [{}, { validUntil: later(10) }, {}].entries()) {
      const opened = await openNew(bob, { validSince: later(index), ...more })
      ids.unshift(opened.id)
    }
    const [newest, expiring, oldest] = ids
    assert.ok(newest && expiring && oldest)
    await store.revoke({ id: oldest, at: NOW, by: 'bob' })
    const listed = async (filter: Parameters<SessionStore['list']>[0]) =>
      (await store.list(filter)).map(({ id }) => id).filter((id) => ids.includes(id))
    assert.deepEqual(await listed({ accountId: bob, limit: 100 }), ids)
    assert.deepEqual(await listed({ accountId: bob, activeAt: later(5), limit: 100 }), [newest, expiring])
    assert.deepEqual(await listed({ accountId: bob, activeAt: later(10), limit: 100 }), [newest])
    assert.deepEqual(await listed({ accountId: bob, limit: 1 }), [newest])
    assert.deepEqual(await listed({ accountId: ada, limit: 100 }), [])
    assert.deepEqual(
      new Set((await store.list({ limit: 1000 })).map(({ username }) => username)),
      new Set(['ada', 'bob', 'cleo']),
    )
  })

  test('does not record a session of an account that does not exist', async () => {
    const wanted = session(newAccountId())
    assert.equal(await store.open(openingOf(wanted, NOW)), false)
    assert.deepEqual(await entriesOf(wanted.id), [])
  })
})
