/**
 * Tests that removing an issuer revokes everything that depends on it, even during concurrent changes
 * (contract/oidc.md, A12).
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { newAccountId, newSessionId, type SessionId, type Username } from '@ratafia/api'
import { addIssuer } from '../../src/ci/issuers/add.ts'
import { removeIssuer } from '../../src/ci/issuers/remove.ts'
import { type Database, inTransaction, rowLock } from '../../src/database/index.ts'
import { storesOn } from '../../src/start/stores.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { openingOf } from '../support/openings.ts'
import { storesOf } from '../support/stores.ts'
import { newKeyPair } from '../support/test-issuer.ts'

const NOW = new Date('2030-01-01T00:00:00Z')
const HOUR = 3_600_000
const clock = () => NOW

eachDatabase((_kind, open) => {
  let database: Database
  /** The database of another node. */
  let elsewhere: Database
  const account = newAccountId()
  let jwks: string
  before(async () => {
    database = await open()
    elsewhere = await open()
    const fields = { username: 'build' as Username, email: '', name: 'Build', passwordHash: undefined }
    assert.ok(await storesOn(database).accounts.insert({ id: account, ...fields, createdAt: NOW }))
    jwks = JSON.stringify({ keys: [(await newKeyPair('ES256', 'one')).jwk] })
  })
  const depsOn = (on: Database) => storesOf(on, { clock })
  const add = async (url: string) => {
    const deps = { ...depsOn(database), fetchDocument: assert.fail }
    return (await addIssuer({ url, kind: 'kubernetes', jwks, authority: deciding() }, deps)).issuer
  }
  const remove = (issuer: string) => removeIssuer({ issuer, authority: deciding() }, depsOn(elsewhere))

  const insertRule = async (
    name: string,
    issuerId: string,
    { query }: Pick<Database, 'query'> = database,
  ) => {
    const row = {
      ...{ id: `rule-${name}`, name, issuer_id: issuerId, account_id: account, version: 'v', ids: '[]' },
      ...{ matchers: '{}', grants: '{}', lifetime: 900_000, created_at: NOW.getTime() },
    }
    await query.insertInto('publisher_rule').values(row).execute()
    return row.id
  }
  const openSession = async (
    ruleId: string,
    { query }: Pick<Database, 'query'> = database,
    validUntil = new Date(NOW.getTime() + HOUR),
  ) => {
    const session = {
      id: newSessionId(),
      accountId: account,
      description: undefined,
      validSince: NOW,
      validUntil,
    }
    assert.ok(await storesOn({ query }).tokenSessions.open(openingOf(session, NOW)))
    const byRule = query.updateTable('token_session').set({ rule_id: ruleId })
    await byRule.where('session_id', '=', session.id).execute()
    return session.id
  }
  const revokedBy = async (id: SessionId) => {
    const all = await storesOn(database).tokenSessions.list({ limit: 1000 })
    return all.find((session) => session.id === id)?.revokedBy
  }

  describe('removing an issuer', () => {
    test('removes its rules and revokes their sessions, without touching another issuer', async () => {
      const [one, other] = [await add('https://one.example'), await add('https://other.example')]
      const rules = [await insertRule('b', one.id), await insertRule('a', one.id)]
      const kept = await insertRule('kept', other.id)
      const sessions = await Promise.all(rules.map((rule) => openSession(rule)))
      const notRevoked = [
        await openSession(kept),
        // This session expired long ago.
        await openSession('rule-a', database, new Date(NOW.getTime() - 2 * HOUR)),
      ]
      const used = { issuer: one.url, token_key: 'jti', session_id: 's', used_at: 0, expires_at: 1 }
      await database.query.insertInto('used_workload_token').values(used).execute()

      const removed = await remove(one.url)
      assert.deepEqual([removed.rules.map(({ name }) => name), removed.revoked], [['a', 'b'], 2])
      assert.deepEqual(await Promise.all(sessions.map(revokedBy)), ['operator', 'operator'])
      assert.deepEqual(await Promise.all(notRevoked.map(revokedBy)), [undefined, undefined])
      const { issuers, issuerKeys, audit } = storesOn(database)
      assert.equal(await issuers.findByUrl(one.url), undefined)
      assert.equal(await issuerKeys.read(one.id), undefined)
      assert.deepEqual(await issuers.rulesOf(one.id), [])
      assert.deepEqual(
        (await issuers.rulesOf(other.id)).map(({ name }) => name),
        ['kept'],
      )
      const [entry] = await audit.list({ action: 'issuer.remove' }, { limit: 1 })
      assert.deepEqual([entry?.subject, entry?.details], [one.url, '{"rules":["a","b"],"sessions":2}'])
      // An issuer with that URL can be added again: used ID tokens stay used.
      const { length } = await database.query.selectFrom('used_workload_token').selectAll().execute()
      assert.equal(length, 1)
      await add(one.url)
      await assert.rejects(add(one.url), /There is already an issuer https:\/\/one\.example\./)
    })

    test('is refused the second time, and for an unknown issuer', async () => {
      await add('https://twice.example')
      await remove('https://twice.example')
      for (const url of ['https://twice.example', 'https://twice.example/', 'x'.repeat(1000)]) {
        await assert.rejects(remove(url), /^RequestError: There is no issuer "/)
      }
    })

    test('waits for a rule that is being created, and removes it', async () => {
      const { id, url } = await add('https://racing.example')
      let removing: ReturnType<typeof remove> | undefined
      await inTransaction(database.query, async (query) => {
        await insertRule('racing', id, { query })
        removing = remove(url)
        await started(removing)
      })
      assert.deepEqual(
        (await removing)?.rules.map(({ name }) => name),
        ['racing'],
      )
      await assert.rejects(insertRule('late', id), 'there is no issuer for the rule')
    })

    test('waits for a session that is being opened, and revokes it', async () => {
      const { id, url } = await add('https://opening.example')
      const rule = await insertRule('opening', id)
      let removing: ReturnType<typeof remove> | undefined
      const session = await inTransaction(database.query, async (query) => {
        // An exchange locks the rule in the same way.
        await query
          .selectFrom('publisher_rule')
          .select('id')
          .where('id', '=', rule)
          .modifyEnd(rowLock(query, 'share'))
          .execute()
        removing = remove(url)
        await started(removing)
        return openSession(rule, { query })
      })
      assert.equal((await removing)?.revoked, 1)
      assert.equal(await revokedBy(session), 'operator')
    })
  })
})

/** Waits long enough for another client to reach the lock. The assertions hold without this wait. */
async function started(work: Promise<unknown>): Promise<void> {
  const wait = new Promise<void>((resolve) => {
    setTimeout(resolve, 200)
  })
  await Promise.race([wait, work])
}
