import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type AccountId, newAccountId, newSessionId, type SessionId, type Username } from '@ratafia/api'
import { eachDatabase } from '../../../test/support/databases.ts'
import { openingOf } from '../../../test/support/openings.ts'
import { accountStore } from '../../accounts/account-store.ts'
import { accountRemovalStore } from '../../accounts/removal/account-removal-store.ts'
import type { Database } from '../../database/index.ts'
import { type SessionStore, sessionStore } from '../session-store.ts'
import { type TokenActivityStore, tokenActivityStore } from './token-activity-store.ts'

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute))

eachDatabase((_kind, open) => {
  let database: Database
  let sessions: SessionStore
  let activities: TokenActivityStore
  let ada: AccountId
  const addAccount = async (username: string): Promise<AccountId> => {
    const id = newAccountId()
    const fields = { username: username as Username, email: '', name: username, passwordHash: undefined }
    assert.ok(await accountStore(database).insert({ id, ...fields, createdAt: at(0) }))
    return id
  }
  before(async () => {
    database = await open()
    sessions = sessionStore(database)
    activities = tokenActivityStore(database)
    ada = await addAccount('ada')
  })
  const openNew = async (accountId = ada): Promise<SessionId> => {
    const id = newSessionId()
    const lasting = { description: undefined, validSince: at(0), validUntil: at(1000) }
    assert.ok(await sessions.open(openingOf({ id, accountId, ...lasting }, at(0))))
    return id
  }
  const used = (id: SessionId, minute: number, address = '192.0.2.1') => ({ id, at: at(minute), address })
  const activityOf = async (id: SessionId, accountId = ada) => {
    const page = await sessions.page({ accountId, order: 'newest', after: undefined, limit: 1000 })
    const { lastUsedAt, lastUsedFrom } = page.find((one) => one.id === id) ?? assert.fail()
    return [lastUsedAt, lastUsedFrom]
  }

  test('keeps the latest use, in whatever order uses arrive', async () => {
    const [one, two, never] = [await openNew(), await openNew(), await openNew()]
    await activities.saw([used(one, 5), used(two, 6, '2001:db8::1')])
    await activities.saw([used(one, 4, '192.0.2.4'), used(two, 7, 'unknown')])
    assert.deepEqual(await activityOf(one), [at(5), '192.0.2.1'])
    assert.deepEqual(await activityOf(two), [at(7), 'unknown'])
    assert.deepEqual(await activityOf(never), [undefined, undefined])
  })

  test('ignores uses of missing and revoked sessions, and keeps what was recorded before', async () => {
    const [revoked, there] = [await openNew(), await openNew()]
    await activities.saw([used(revoked, 1)])
    await sessions.revoke({ id: revoked, at: at(2), by: 'operator' })
    await activities.saw([used(revoked, 3), used(there, 3), used(newSessionId(), 3)])
    assert.deepEqual(await activityOf(revoked), [at(1), '192.0.2.1'])
    assert.deepEqual(await activityOf(there), [at(3), '192.0.2.1'])
  })

  test('is removed together with its session', async () => {
    const id = await openNew()
    await activities.saw([used(id, 1)])
    await sessions.removeEnded(at(2000), 1000)
    const rows = await database.query.selectFrom('token_activity').selectAll().execute()
    assert.deepEqual(rows, [])
  })

  test('is removed with the personal data of an account, and not recorded again', async () => {
    const bob = await addAccount('bob')
    const [one, before] = [await openNew(bob), await openNew(bob)]
    await activities.saw([used(one, 1), used(before, 1)])
    await sessions.revoke({ id: before, at: at(2), by: 'bob' })
    await accountRemovalStore(database).clear(
      { id: bob, username: 'bob' as Username },
      { replacement: 'removed-1' as Username, at: at(3), by: 'operator' },
    )
    await activities.saw([used(one, 4), used(before, 4)])
    for (const id of [one, before]) assert.deepEqual(await activityOf(id, bob), [undefined, undefined])
  })

  test('records the same thousand uses twice at once', async () => {
    const ids: SessionId[] = []
    for (let i = 0; i < 20; i++) ids.push(await openNew())
    const unknown = Array.from({ length: 980 }, () => newSessionId())
    const all = [...ids, ...unknown].sort().map((id) => used(id, 1))
    await Promise.all([activities.saw(all), activities.saw(all)])
    for (const id of ids) assert.deepEqual(await activityOf(id), [at(1), '192.0.2.1'])
  })
})
