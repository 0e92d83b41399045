/** Tests the store of rules on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import type { AccountId } from '@ratafia/api'
import { addAccount, disableAccount } from '../../../test/support/accounts.ts'
import { eachDatabase } from '../../../test/support/databases.ts'
import { GITHUB, GITLAB, givenIssuer } from '../../../test/support/rules.ts'
import { testService } from '../../../test/support/service.ts'
import type { Database } from '../../database/index.ts'
import type { NewRule } from './rule-store.ts'
import { ruleStore } from './rule-store.ts'

eachDatabase((_kind, open, fresh) => {
  const service = testService(fresh)
  let database: Database
  let rules: ReturnType<typeof ruleStore>
  let [github, gitlab] = ['', '']
  let accountId: AccountId
  const made = (name: string, ids: string, more: Partial<NewRule['rule']> = {}): NewRule => ({
    rule: {
      ...{ id: randomUUID(), name, issuerId: github, accountId, version: 'v', match: { a: 'b' } },
      grants: { permissions: ['package_upload'], packages: ['p'], channels: null, storeIds: ['s'] },
      ...{ lifetime: 900_000, createdAt: new Date(1_700_000_000_000), ...more },
    },
    ids,
  })
  before(async () => {
    database = await open()
    rules = ruleStore(database)
    github = await givenIssuer(database, GITHUB, 'github')
    gitlab = await givenIssuer(database, GITLAB, 'gitlab')
    const person = { username: 'build', email: 'b@example.org', name: 'Build', password: undefined }
    accountId = (await addAccount(person, service.installation)).id
  })

  test('finds an inserted rule, and refuses a second rule with its name', async () => {
    const rule = made('found', '["1"]', { match: { a: { any_of: ['x', { fold: 'y' }, 7, true] } } })
    assert.equal(await rules.insert(rule), true)
    assert.deepEqual(await rules.find('found'), {
      rule: { ...rule.rule, disabledAt: undefined, lastUsedAt: undefined },
      issuer: { url: GITHUB, kind: 'github' },
      account: { username: 'build', disabledAt: undefined },
    })
    assert.equal(await rules.insert(made('found', '["1"]')), false)
    assert.equal(await rules.find('lost'), undefined)
  })

  test('only one of concurrent calls with the same name succeeds', async () => {
    const others = await Promise.all([open(), open()])
    const stores = [rules, ...others.map(ruleStore)]
    const inserted = await Promise.all(
      Array.from({ length: 12 }, (_, at) => stores[at % stores.length]?.insert(made('race', '["2"]'))),
    )
    assert.equal(inserted.filter(Boolean).length, 1)
    assert.equal(await rules.countOfIds(github, '["2"]'), 1)
  })

  test('refuses a rule of a removed issuer', async () => {
    await assert.rejects(rules.insert(made('orphan', '["1"]', { issuerId: randomUUID() })), {
      code: 'invalid-field',
      message: 'The issuer was just removed.',
    })
  })

  test("finds a job's rules by its ids and issuer, sorted by name, including disabled ones", async () => {
    for (const [name, ids, issuerId] of [
      ...[['job-b', '["74","65"]', github] as const, ['job-a', '["74","65"]', github] as const],
      ...[['job-names', '{"names":["a/b"]}', github] as const, ['job-other', '["75","65"]', github] as const],
      ['job-gitlab', '["74","65"]', gitlab] as const,
    ]) {
      assert.ok(await rules.insert(made(name, ids, { issuerId })))
    }
    const b = await rules.find('job-b')
    assert.ok(b)
    const at = new Date(1_700_000_001_000)
    assert.equal(await rules.disable(b.rule.id, at), true)
    assert.equal(await rules.disable(b.rule.id, new Date()), false)
    const namesFor = async (...ids: readonly string[]) =>
      (await rules.findForJob(github, ids)).map(({ rule }) => rule.name)
    assert.deepEqual(await namesFor('["74","65"]'), ['job-a', 'job-b'])
    assert.deepEqual(await namesFor('["74","65"]', '{"names":["a/b"]}'), ['job-a', 'job-b', 'job-names'])
    assert.deepEqual(await namesFor('["7","65"]'), [])
    assert.deepEqual(await namesFor(), [])
    const [first, second] = await rules.findForJob(github, ['["74","65"]'])
    assert.deepEqual(second?.rule, { ...b.rule, disabledAt: at })
    assert.equal(first?.account.disabledAt, undefined)
    await disableAccount('build', service.installation)
    const [again] = await rules.findForJob(github, ['["74","65"]'])
    assert.deepEqual([again?.account.id, again?.account.username], [accountId, 'build'])
    assert.ok(again?.account.disabledAt)
  })

  test('accepts ids of any length and content', async () => {
    for (const ids of [
      JSON.stringify(['\0']),
      JSON.stringify(['x'.repeat(16_000)]),
      JSON.stringify(['\ud800']),
    ]) {
      assert.deepEqual(await rules.findForJob(github, [ids, 'x']), [])
    }
  })

  test('records use once per hour, and never moves it back', async () => {
    assert.ok(await rules.insert(made('used', '["3"]')))
    const id = (await rules.find('used'))?.rule.id ?? assert.fail('it is there')
    const start = 1_700_000_000_000
    for (const [minute, noted] of [
      [0, 0],
      [59, 0],
      [60, 60],
      [10, 60],
      [121, 121],
    ] as const) {
      await rules.markUsed(id, new Date(start + minute * 60_000))
      const at = (await rules.find('used'))?.rule.lastUsedAt?.getTime()
      assert.equal(at, start + noted * 60_000)
    }
  })

  test('returns pages of all rules, of an account and of an issuer', async () => {
    const page = async (limit: number, after?: string, issuerId?: string) =>
      (await rules.page({ accountId, issuerId, after, limit })).map(({ rule }) => rule.name)
    const all = await page(100)
    assert.deepEqual(all, all.toSorted())
    assert.deepEqual(await page(2), all.slice(0, 2))
    assert.deepEqual(await page(100, all[1]), all.slice(2))
    assert.deepEqual(await page(100, undefined, gitlab), ['job-gitlab'])
  })

  test('removes a rule once', async () => {
    const id = (await rules.find('used'))?.rule.id ?? assert.fail('it is there')
    assert.deepEqual([await rules.remove(id), await rules.remove(id)], [true, false])
    assert.equal(await rules.find('used'), undefined)
  })
})
