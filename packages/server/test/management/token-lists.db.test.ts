/** Tests lists of sessions, by state, kind and description, with their limits, and single sessions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSessionId, type SessionId } from '@ratafia/api'
import type { Account } from '../../src/accounts/account.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import type { Session } from '../../src/tokens/session.ts'
import { deciding } from '../support/authorities.ts'
import { consoleOf, textOf } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addManager,
  assertMissing,
  everyPage,
  manage,
  managementToken,
  managerToken,
} from '../support/managers.ts'
import { openingOf } from '../support/openings.ts'
import { addPublisher, logInWithPassword, pairHeader } from '../support/publishers.ts'
import { GITHUB, givenIssuer, givenSession } from '../support/rules.ts'
import { addPerson, bearing, call, logIn, refusalOf, sessionOf, testService } from '../support/service.ts'

const DAY = 86_400_000
const ALL = { permissions: null, channels: null, packages: null, store_ids: null }

type Added = readonly [
  description: string,
  since: number,
  until: number,
  revoked?: number | undefined,
  more?: Partial<Session>,
]

interface Listed {
  readonly session_id: SessionId
  readonly description: string
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  const get = async (token: string, path: string, query = '') => {
    const { status, body } = await manage(service, token, 'GET', path, { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }

  test("another path's name is not an id: it supports only the methods of that path", async () => {
    const token = await managerToken(service, 'auditor')
    for (const path of ['/me/tokens/explain', '/me/tokens/revoke', '/tokens/root', '/tokens/exchange']) {
      // Such an answer does not belong to an operation.
      const { status, headers } = await fetch(`${service.baseUrl}/api/management/v1${path}`, {
        headers: bearing(token),
      })
      assert.deepEqual([status, headers.get('allow')], [405, 'POST'], path)
    }
  })

  test('the record shows what a login requested, even after its holder narrows a copy', async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    const record = async (session: string) => {
      const { limits, manage: roles } = await get(token, `/me/tokens/${session}`)
      return [limits, roles]
    }
    const wanted = { permissions: ['package_upload'], channels: ['edge', '*/edge'], store_ids: ['acme'] }
    const limited = await logIn(service, ada, { ...wanted, packages: [{ name: 'hello' }] })
    assert.deepEqual(await record(sessionOf(limited)), [{ ...wanted, packages: ['hello'] }, null])
    assert.deepEqual(await record(sessionOf(await logIn(service, ada))), [ALL, null])
    // A token never has more, so a narrower copy changes nothing.
    const headers = bearing(limited)
    assert.equal((await call(service, 'GET', '/api/v2/tokens/whoami', { headers })).status, 200)
    const asked = { roles: ['viewer'], brands: ['acme'], read_only: true }
    const narrow = await managementToken(service, ada, asked)
    assert.deepEqual(await record(sessionOf(narrow)), [null, asked])
    assert.deepEqual(await record(sessionOf(token)), [null, { roles: null, brands: null, read_only: false }])
  })

  test('does so for a login with a password before its first use; limits that are too long are not recorded', async () => {
    const ada = await addPublisher(service)
    const token = await managementToken(service, ada)
    const body = { permissions: ['package_access', 'package_push'], channels: ['edge'] }
    const { root } = await logInWithPassword(service, ada, { body })
    const { limits } = await get(token, `/me/tokens/${sessionOf(root)}`)
    assert.deepEqual(limits, { ...ALL, ...body })
    const many = { packages: Array.from({ length: 60 }, (_, at) => ({ snap_id: `package-number-${at}` })) }
    const pair = await logInWithPassword(service, ada, { body: many })
    assert.equal((await get(token, `/me/tokens/${sessionOf(pair.root)}`)).limits, null)
    const given = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: pairHeader(pair) })
    assert.equal(given.body.packages.length, 60)
    const more = Array.from({ length: 150 }, (_, at) => ({ snap_id: `package-number-${at}`.padEnd(32, 'x') }))
    const long = await logIn(service, ada, { packages: more })
    assert.equal((await get(token, `/me/tokens/${sessionOf(long)}`)).limits, null)
  })

  test('a single session has a version, and a change requires the one that was seen', async () => {
    const ada = await addManager(service, 'viewer acme')
    const token = await managementToken(service, ada)
    const path = `/me/tokens/${sessionOf(await logIn(service, ada, { description: 'one' }))}`
    const { status, body, headers } = await manage(service, token, 'GET', path)
    assert.deepEqual([status, body.description, body.username], [200, 'one', ada.username])
    const etag = headers.get('etag') ?? assert.fail()
    const known = await manage(service, token, 'GET', path, { headers: { 'if-none-match': etag } })
    assert.equal(known.status, 304)
    const other = { 'if-match': '"another"' }
    const refused = await manage(service, token, 'POST', `${path}/revoke`, { headers: other })
    assert.equal(refusalOf(refused).code, 'version-mismatch')
    const seen = { 'if-match': etag }
    assert.equal((await manage(service, token, 'POST', `${path}/revoke`, { headers: seen })).status, 200)
    assert.equal((await get(token, path)).revoked_by, ada.username)
  })

  test("Guarantee: another user's session answers as a missing one, except with permission to read tokens", async () => {
    const token = await managerToken(service, 'viewer acme')
    const theirs = sessionOf(await logIn(service, await addPerson(service)))
    await assertMissing([theirs, newSessionId()], (id) => manage(service, token, 'GET', `/me/tokens/${id}`))
    assert.equal(
      refusalOf(await manage(service, token, 'GET', `/tokens/${theirs}`)).code,
      'permission-denied',
    )
    const auditor = await managerToken(service, 'auditor')
    assert.equal((await get(auditor, `/tokens/${theirs}`)).session_id, theirs)
    for (const id of [newSessionId(), 'x']) {
      assert.equal(refusalOf(await manage(service, auditor, 'GET', `/tokens/${id}`)).code, 'no-such-record')
    }
  })

  /** Adds sessions that begin and expire that many days from now; `revoked`: that many days ago. */
  async function addSessions(account: Account, all: readonly Added[]) {
    const { tokenSessions } = service.installation
    const inDays = (days: number) => new Date(service.now().getTime() + days * DAY)
    for (const [description, since, until, revoked, more] of all) {
      const id = newSessionId()
      const times = { validSince: inDays(since), validUntil: inDays(until) }
      const session = { id, accountId: account.id, description, ...times, ...more }
      assert.ok(await tokenSessions.openPatiently(openingOf(session, service.now())))
      if (revoked !== undefined) await tokenSessions.revoke({ id, at: inDays(-revoked), by: 'operator' })
    }
  }

  const LIMITS = '["manage {\\"read_only\\":false}"]'
  const SESSIONS: readonly Added[] = [
    ['old', -300, 65],
    ['ends last', -20, 29.9],
    ['ends first', -90, 1],
    ['laptop', -10, 31],
    ['over long ago', -400, -35],
    ['over', -40, -1],
    ['taken away', -5, 100, 1],
    ['taken away before', -50, -20, 30],
    ['Administration', -0.5, 0.5, undefined, { kind: 'management', limits: LIMITS }],
    ['Administration before', -2, -1.5, undefined, { kind: 'management' }],
  ]

  const LISTS: readonly (readonly [query: string, descriptions: readonly string[]])[] = [
    ['', ['Administration', 'laptop', 'ends last', 'ends first', 'old']],
    ['?state=active', ['Administration', 'laptop', 'ends last', 'ends first', 'old']],
    ['?state=ending', ['ends first', 'ends last']],
    ['?state=ending&kind=developer', ['ends first', 'ends last']],
    ['?state=expired', ['over', 'Administration before', 'over long ago']],
    ['?state=revoked', ['taken away', 'taken away before']],
    [
      '?state=all',
      [
        ...['Administration', 'Administration before', 'taken away', 'laptop', 'ends last', 'over'],
        ...['taken away before', 'ends first', 'old', 'over long ago'],
      ],
    ],
    ['?state=all&kind=management', ['Administration', 'Administration before']],
    ['?kind=management', ['Administration']],
    ['?q=TOP', ['laptop']],
    ['?state=all&q=taken%20away', ['taken away', 'taken away before']],
    ['?state=all&q=%25', []],
    ['?state=expired&kind=management&q=before', ['Administration before']],
  ]

  test('lists by state, kind and description, each in its order, complete or one by one', async () => {
    const ada = await addManager(service, 'auditor')
    const token = await managementToken(service, ada)
    const bob = await addPerson(service)
    await addSessions(bob, SESSIONS)
    await addSessions(ada, SESSIONS)
    const own = sessionOf(token)
    for (const [query, expected] of LISTS) {
      for (const [path, more] of [
        ['/me/tokens', ''],
        ['/tokens', `&account=${bob.username}`],
      ] as const) {
        for (const limit of [1, 2, 100]) {
          const parameters = `${query.replace('?', '&')}${more}`
          const found = await everyPage(service, token, path, { field: 'tokens', query: parameters, limit })
          const others = found.filter(({ session_id: id }) => id !== own)
          assert.deepEqual(
            others.map(({ description }) => description),
            expected,
            `${path} ${limit} ${parameters}`,
          )
        }
      }
    }
    // The list of all accounts has the sessions of both in one order.
    const { tokens } = await get(token, '/tokens', '?state=revoked&q=taken&limit=3')
    assert.deepEqual(
      tokens.map((one: Listed) => one.description),
      ['taken away', 'taken away', 'taken away before'],
    )
  })

  test('`ending` lists only sessions that need a successor: none of CI jobs, short, or shortened', async () => {
    const ada = await addManager(service, 'auditor')
    const token = await managementToken(service, ada)
    await addSessions(ada, [
      ['replace me', -60, 20],
      ['for an hour', 0, 1 / 24],
      ['for two days', 0, 2],
      ['replaced', -60, 25],
    ])
    const [replaced] = (await get(token, '/me/tokens', '?q=replaced')).tokens
    const until = new Date(service.now().getTime() + 7 * DAY).toISOString()
    const body = { until }
    const path = `/me/tokens/${replaced.session_id}/shorten`
    assert.equal((await manage(service, token, 'POST', path, { body })).status, 200)
    await givenIssuer(service.installation.database, GITHUB, 'github')
    for (const name of ['nightly', 'release']) {
      const rule = { name, issuer: GITHUB, account: ada.username, packages: [{ name: 'hello' }] }
      const match = { repository_id: '74', repository_owner_id: '65', environment: name }
      const grants = { permissions: ['package_upload'] } as const
      const maker = { authority: deciding() }
      const { jobMaxLifetime } = service.installation.config
      await addRule({ ...rule, match, grants, maker }, { ...service.installation, jobMaxLifetime })
      await givenSession(service.installation.database, name)
    }
    await givenSession(service.installation.database, 'nightly')

    const descriptions = async (query: string) =>
      (await get(token, '/me/tokens', query)).tokens.map((one: Listed) => one.description).toSorted()
    assert.deepEqual(await descriptions('?state=ending'), ['replace me'])
    assert.deepEqual(await descriptions('?ci=only'), ['nightly', 'nightly', 'release'])
    assert.deepEqual(await descriptions('?rule=nightly'), ['nightly', 'nightly'])
    assert.deepEqual(await descriptions('?rule=nightly&ci=none'), [])
    assert.deepEqual(await descriptions('?ci=none&kind=developer'), [
      'for an hour',
      'for two days',
      'replace me',
      'replaced',
    ])

    const browser = await consoleOf(service, ada)
    const page = textOf(await browser.get('/console/tokens'))
    assert.match(page, /One token expires within 30 days:.*replace me/)
    assert.match(page, /CI jobs .*nightly : 2 active sessions .*release : 1 active session/)
    assert.doesNotMatch(page, /Job of the CI rule/)
    const folded = textOf(await browser.get('/console/tokens?rule=nightly'))
    assert.match(folded, /Job of the CI rule nightly/)
    assert.doesNotMatch(folded, /replace me .*developer|Job of the CI rule release/)
  })

  test('refuses invalid states, kinds and descriptions, and a cursor of a different list', async () => {
    const token = await managerToken(service, 'auditor')
    const long = `?q=${'x'.repeat(129)}`
    for (const query of ['?state=over', '?kind=device', '?q=', long, '?state=ending&state=all']) {
      assert.equal(refusalOf(await manage(service, token, 'GET', '/me/tokens', { query })).status, 400, query)
    }
    const { next } = await get(token, '/tokens', '?state=all&limit=1')
    const query = `?state=ending&limit=1&cursor=${next}`
    assert.equal(refusalOf(await manage(service, token, 'GET', '/tokens', { query })).code, 'invalid-field')
  })
})
