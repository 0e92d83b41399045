/** Tests counters: what a node stores in the background, how other nodes show it, and who can see it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CounterName } from '@ratafia/api'
import { eachDatabase } from '../support/databases.ts'
import {
  freshDeviceKeys,
  presentingSession,
  register,
  registered,
  sessionOf,
  setAcmePolicy,
  withAcme,
} from '../support/devices.ts'
import { addManager, manage, managementToken, managerToken } from '../support/managers.ts'
import { onNode, startNode, type TestNode } from '../support/nodes.ts'
import { call, logIn, refusalOf, whoami } from '../support/service.ts'

const DAY = 86_400_000

interface Counter {
  readonly name: string
  readonly labels: readonly string[]
  readonly buckets: readonly { readonly at: string; readonly counts: Readonly<Record<string, number>> }[]
  readonly previous?: Readonly<Record<string, number>> | null
}

eachDatabase((_kind, _open, fresh) => {
  let node: TestNode
  let auditor: string
  before(async () => {
    node = await startNode(await fresh.target())
    await withAcme(node.installation)
    auditor = await managerToken(node, 'auditor')
  })
  after(() => node.close())

  const counters = async (query: string, by = auditor): Promise<readonly Counter[]> => {
    const { status, body } = await manage(node, by, 'GET', '/counters', { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body.counters
  }
  const sums = async (name: CounterName, query = '', by = auditor): Promise<Record<string, number>> => {
    const [counter] = await counters(`?name=${name}${query}`, by)
    const { labels, buckets } = counter ?? assert.fail()
    return Object.fromEntries(
      labels.map((label) => [label, buckets.reduce((sum, { counts }) => sum + (counts[label] ?? 0), 0)]),
    )
  }
  const onAnother = (work: (other: TestNode) => Promise<void>) => onNode(fresh, work)

  test('counts registrations, sessions, and session checks by a store', async () => {
    await onAnother(async (other) => {
      const [one, two, waits] = await freshDeviceKeys(3)
      assert.ok(one && two && waits)
      const serial = await registered(other, { key: one, serial: 'COUNT-1' })
      assert.equal((await register(other, { key: two, serial: 'COUNT-1' })).status, 400)
      await setAcmePolicy(other.installation, { registration: 'approval' })
      assert.equal((await register(other, { key: waits, serial: 'COUNT-2' })).status, 202)
      await setAcmePolicy(other.installation, { registration: 'auto' })
      const session = await sessionOf(other, { key: one, serial })
      await sessionOf(other, { key: one, serial, previous: session })
      const headers = presentingSession(session)
      for (let i = 0; i < 2; i++) {
        assert.equal((await call(other, 'GET', '/device-session', { headers })).status, 200)
      }
      assert.equal((await call(other, 'GET', '/device-session')).status, 401)
      const authorization = `Macaroon ${await logIn(other, await addManager(other, 'viewer acme'))}`
      for (const presented of [authorization, 'Macaroon AAAA']) {
        const body = { auth_data: { authorization: presented } }
        assert.equal((await call(other, 'POST', '/dev/api/acl/verify/', { body })).status, 200)
      }
    })
    const questions = { 'session-valid': 2, 'session-refused': 1, 'token-valid': 1, 'token-refused': 1 }
    assert.deepEqual(await sums('registrations'), { serial: 1, waits: 1, refused: 1 })
    assert.deepEqual(await sums('device-sessions'), { opened: 1, refreshed: 1 })
    assert.deepEqual(await sums('store-questions'), questions)
    const ofBrand = '&brand=acme-brand'
    assert.deepEqual(await sums('registrations', ofBrand), { serial: 1, waits: 1, refused: 1 })
    assert.deepEqual(await sums('device-sessions', ofBrand), { opened: 1, refreshed: 1 })
    assert.deepEqual(await sums('store-questions', ofBrand), {
      ...{ 'session-valid': 2, 'session-refused': 0, 'token-valid': 0, 'token-refused': 0 },
    })
  })

  test('counts uses of tokens, logins, and refusals by code', async () => {
    const [uses, logins] = [await sums('token-uses'), await sums('logins')]
    await onAnother(async (other) => {
      const ada = await addManager(other, 'viewer acme')
      const token = await logIn(other, ada)
      for (let i = 0; i < 3; i++) assert.equal(await whoami(other, token), 200)
      const management = await managementToken(other, ada)
      assert.equal((await manage(other, management, 'GET', '/me')).status, 200)
      assert.equal((await manage(other, management, 'GET', '/grants')).status, 403)
    })
    const more = async (name: CounterName, label: string, before: Record<string, number>) =>
      ((await sums(name))[label] ?? 0) - (before[label] ?? 0)
    assert.equal(await more('token-uses', 'developer', uses), 3)
    assert.equal(await more('token-uses', 'management', uses), 2)
    assert.equal(await more('logins', 'opened', logins), 2)
    assert.equal((await sums('refusals'))['permission-denied'], 1)
  })

  test('buckets begin in UTC, have no gaps, and include older counts', async () => {
    const now = new Date()
    const hour = now.setUTCMinutes(0, 0, 0)
    const row = { name: 'logins', brandId: '(all)', label: 'wrong' }
    await node.installation.counts.add([
      { ...row, at: hour - 3_600_000, n: 2 },
      { ...row, at: hour - 2 * DAY, n: 3 },
      { ...row, at: hour - 60 * DAY, n: 5 },
      { ...row, at: hour - 500 * DAY, n: 7 },
    ])
    const [day, month, year] = [
      (await counters('?name=logins'))[0],
      (await counters('?name=logins&period=30d'))[0],
      (await counters('?name=logins&period=12mo'))[0],
    ]
    assert.deepEqual(
      [day, month, year].map((counter) => counter?.buckets.length),
      [24, 30, 12],
    )
    assert.equal(day?.buckets.at(-2)?.counts['wrong'], 2)
    assert.match(day?.buckets[0]?.at ?? '', /:00:00\.000Z$/)
    assert.match(month?.buckets[0]?.at ?? '', /T00:00:00\.000Z$/)
    assert.match(year?.buckets[0]?.at ?? '', /-01T00:00:00\.000Z$/)
    const sum = (counter: Counter | undefined) =>
      counter?.buckets.reduce((all, { counts }) => all + (counts['wrong'] ?? 0), 0)
    assert.deepEqual([sum(day), sum(month), sum(year)], [2, 5, 10])
  })

  test('`previous` adds the counts of the period before, which is not stored for a year', async () => {
    const hour = new Date().setUTCMinutes(0, 0, 0)
    const row = { name: 'refusals', brandId: '(all)' }
    await node.installation.counts.add([
      { ...row, label: 'no-such-record', at: hour - 23 * 3_600_000, n: 1 },
      { ...row, label: 'no-such-record', at: hour - 24 * 3_600_000, n: 2 },
      { ...row, label: 'invalid-field', at: hour - 47 * 3_600_000, n: 4 },
      { ...row, label: 'invalid-field', at: hour - 48 * 3_600_000, n: 8 },
      { ...row, label: 'invalid-field', at: hour - 40 * DAY, n: 16 },
    ])
    const [ofDay] = await counters('?name=refusals&previous=true')
    assert.deepEqual(ofDay?.previous, { 'no-such-record': 2, 'invalid-field': 4 })
    assert.equal(ofDay?.buckets[0]?.counts['no-such-record'], 1)
    assert.equal(
      (await counters('?name=refusals&previous=true&period=30d'))[0]?.previous?.['invalid-field'],
      16,
    )
    assert.equal((await counters('?name=refusals&previous=true&period=12mo'))[0]?.previous, null)
    assert.deepEqual((await counters('?name=logins&previous=true'))[0]?.previous, {
      ...{ opened: 0, job: 0, wrong: 0, 'code-wrong': 0, disabled: 0, throttled: 0, 'job-refused': 0 },
    })
    assert.ok(!('previous' in ((await counters('?name=refusals'))[0] ?? {})))
  })

  test('Guarantee: a caller who sees one brand cannot tell that others have counts', async () => {
    const viewer = await managerToken(node, 'viewer zenith')
    const { body } = await manage(node, viewer, 'GET', '/counters')
    assert.deepEqual(
      body.counters.map(({ name }: Counter) => name),
      ['registrations', 'device-sessions', 'store-questions'],
    )
    for (const { buckets } of body.counters as readonly Counter[]) {
      for (const { counts } of buckets) assert.ok(Object.values(counts).every((n) => n === 0))
    }
    const [theirs, absent] = await Promise.all(
      ['acme-brand', 'unknown'].map((brand) =>
        manage(node, viewer, 'GET', '/counters', { query: `?brand=${brand}&period=30d` }),
      ),
    )
    assert.deepEqual(theirs?.body.counters, absent?.body.counters)
    const own = await managerToken(node, 'viewer acme-brand')
    assert.ok(((await sums('registrations', '', own))['serial'] ?? 0) > 0)
    for (const name of ['token-uses', 'logins', 'refusals']) {
      const refused = await manage(node, own, 'GET', '/counters', { query: `?name=${name}` })
      assert.deepEqual([refused.status, refusalOf(refused).code], [403, 'permission-denied'])
    }
  })

  test('refuses a missing role, an unknown name or period, and brands without such a counter', async () => {
    const accountManager = await managerToken(node, 'account-manager')
    assert.equal((await manage(node, accountManager, 'GET', '/counters')).status, 403)
    for (const query of [
      '?name=x',
      '?period=1h',
      '?brand=(all)',
      '?brand=a%20b',
      '?name=logins&brand=acme',
    ]) {
      const { status } = await manage(node, auditor, 'GET', '/counters', { query })
      assert.equal(status, 400, query)
    }
  })
})
