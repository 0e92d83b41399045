import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type AccountId, newAccountId, newSessionId, type SessionId, type Username } from '@ratafia/api'
import { eachDatabase } from '../../test/support/databases.ts'
import { accountStore } from '../accounts/account-store.ts'
import type { Session } from './session.ts'
import { type SessionStore, sessionStore } from './session-store.ts'

const DAY = 86_400_000
const NOW = new Date('2030-01-01T00:00:00Z')
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds)

eachDatabase((_kind, open) => {
  let store: SessionStore
  let ada: AccountId
  let bob: AccountId
  before(async () => {
    const database = await open()
    store = sessionStore(database)
    const accounts = accountStore(database)
    const add = async (username: string) => {
      const id = newAccountId()
      const fields = { username: username as Username, email: '', name: username, passwordHash: undefined }
      assert.ok(await accounts.insert({ id, ...fields, createdAt: NOW }))
      return id
    }
    ada = await add('ada')
    bob = await add('bob')
  })
  const session = (accountId: AccountId, more: Partial<Session> = {}): Session => ({
    id: newSessionId(),
    accountId,
    description: undefined,
    validSince: NOW,
    validUntil: later(DAY),
    revokedAt: undefined,
    revokedBy: undefined,
    ...more,
  })

  test('what was opened is found as it was, and an unknown id is nothing', async () => {
    const wanted = session(ada, { description: 'laptop “ü”' })
    assert.deepEqual(await store.open(wanted, NOW), { session: wanted, first: true })
    assert.deepEqual(await store.find(wanted.id), wanted)
    assert.equal(await store.find(newSessionId()), undefined)
  })

  test('of openings of one id at the same moment one wins, and all get its row', async () => {
    const id = newSessionId()
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        store.open(session(index % 2 === 0 ? ada : bob, { id, description: `opening ${index}` }), NOW),
      ),
    )
    assert.equal(
      new Set(all.map(({ session: { accountId, description } }) => `${accountId} ${description}`)).size,
      1,
    )
    assert.equal(all.filter(({ first }) => first).length, 1)
    assert.deepEqual(await store.find(id), all[0]?.session)
  })

  test('opening again does not bring a revoked session back', async () => {
    const wanted = session(ada)
    await store.open(wanted, NOW)
    await store.revoke({ id: wanted.id, at: later(1000), by: 'ada' })
    assert.deepEqual((await store.open(wanted, later(2000))).session.revokedAt, later(1000))
  })

  test('of revocations at the same moment the first one counts, and all get its record', async () => {
    const { id } = (await store.open(session(ada), NOW)).session
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) => store.revoke({ id, at: later(index), by: `person-${index}` })),
    )
    assert.equal(new Set(all.map((each) => each?.session.revokedBy)).size, 1)
    assert.equal(all.filter((each) => each?.first).length, 1)
    const again = await store.revoke({ id, at: later(DAY), by: 'late' })
    assert.deepEqual(again, { session: all[0]?.session, first: false })
  })

  test('a session of another account is not revoked, and looks like none', async () => {
    const { id } = (await store.open(session(ada), NOW)).session
    assert.equal(await store.revoke({ id, accountId: bob, at: NOW, by: 'bob' }), undefined)
    assert.equal(await store.revoke({ id: newSessionId(), accountId: bob, at: NOW, by: 'bob' }), undefined)
    assert.equal((await store.find(id))?.revokedAt, undefined)
    assert.equal((await store.revoke({ id, accountId: ada, at: NOW, by: 'ada' }))?.session.revokedBy, 'ada')
  })

  test('a listing has the newest first, of one account or all, active or all, up to its limit', async () => {
    const ids: SessionId[] = []
    for (const [index, more] of [{}, { validUntil: later(10) }, {}].entries()) {
      const { session: opened } = await store.open(session(bob, { validSince: later(index), ...more }), NOW)
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
      new Set(['ada', 'bob']),
    )
  })

  test('a session of an account that does not exist cannot be recorded', async () => {
    await assert.rejects(store.open(session(newAccountId()), NOW))
  })
})
