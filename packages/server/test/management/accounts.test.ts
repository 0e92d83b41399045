/** Tests accounts in the management API: reads and changes with permission, and attacks. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { listAccounts } from '../../src/accounts/list.ts'
import { disableAccount, removeAccount } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import {
  type Asking,
  addManager,
  addOperator,
  everyPage,
  grant,
  manage,
  managementToken,
  managerToken,
} from '../support/managers.ts'
import { addAgentTo, addPerson, bearing, call, logIn, refusalOf, testService } from '../support/service.ts'

const MINUTE = 60_000

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const { testOnce } = onOne(kind)
  /** The token of an account-manager who signed in just now. */
  let manager: string
  let managing: Account

  before(async () => {
    managing = await addManager(service, 'account-manager')
    manager = await managementToken(service, managing)
  })

  const get = (token: string, path: string, query = '') => manage(service, token, 'GET', path, { query })
  const post = (token: string, path: string, asking: Asking = {}) =>
    manage(service, token, 'POST', path, { body: {}, ...asking })
  const patch = (token: string, path: string, body: object, headers: Record<string, string> = {}) =>
    manage(service, token, 'PATCH', path, { body, headers })
  const entriesOf = async (subject: string) =>
    (await service.installation.audit.list({ subject }, { limit: 20 })).map(({ action }) => action)
  /** The changes that callers without the permission try. */
  const CHANGES = {
    disable: (token: string, id: string) => post(token, `/accounts/${id}/disable`),
    enable: (token: string, id: string) => post(token, `/accounts/${id}/enable`),
    edit: (token: string, id: string) => patch(token, `/accounts/${id}`, { name: 'X' }, { 'if-match': '*' }),
    link: (token: string, id: string) => post(token, `/accounts/${id}/password-link`),
  } as const

  const operator = () => addOperator(service)

  test('adds, shows, changes, disables and enables an account in the name of the manager', async () => {
    const body = { username: 'new-one', email: 'new@example.org', name: 'New One' }
    const added = await post(manager, '/accounts', { body })
    assert.equal(added.status, 201, JSON.stringify(added.body))
    const { id, created_at, ...rest } = added.body
    assert.deepEqual(rest, {
      ...body,
      ...{ password: false, password_logins: true, reminders: true, second_factor: false },
      ...{ disabled_at: null, logins_since: null },
    })
    assert.match(created_at, /^\d{4}-.*Z$/)
    assert.equal(refusalOf(await post(manager, '/accounts', { body })).code, 'already-exists')
    const shown = await get(manager, '/accounts/new-one')
    assert.deepEqual(shown.body, added.body)
    assert.deepEqual((await get(manager, `/accounts/${id}`)).body, added.body)

    const seen = { 'if-match': shown.headers.get('etag') ?? '' }
    const edited = await patch(manager, '/accounts/new-one', { name: 'Newer', email: 'n@example.org' }, seen)
    assert.equal(edited.status, 200, JSON.stringify(edited.body))
    assert.deepEqual(edited.body, { ...added.body, name: 'Newer', email: 'n@example.org' })
    assert.deepEqual((await get(manager, '/accounts/new-one')).body, edited.body)

    const disabled = await post(manager, '/accounts/new-one/disable')
    assert.equal(disabled.status, 200)
    assert.match(disabled.body.disabled_at, /^\d{4}-.*Z$/)
    assert.deepEqual((await post(manager, '/accounts/new-one/disable')).body, disabled.body)
    const enabled = await post(manager, '/accounts/new-one/enable')
    assert.equal(enabled.body.disabled_at, null)
    assert.deepEqual((await post(manager, '/accounts/new-one/enable')).body, enabled.body)

    assert.deepEqual(await entriesOf('new-one'), [
      ...['account.enable', 'account.disable', 'account.set-email', 'account.set-name', 'account.add'],
    ])
    const [last] = await service.installation.audit.list({ subject: 'new-one' }, { limit: 1 })
    assert.equal(last?.actor, `account:${managing.username}`)
    assert.match(last?.details ?? '', /"via":"api"/)
  })

  test('Guarantee: a PATCH changes only a version that its sender names', async () => {
    const { username } = await addPerson(service)
    const path = `/accounts/${username}`
    const blind = await patch(manager, path, { name: 'Blind' })
    assert.deepEqual([blind.status, refusalOf(blind).code], [428, 'version-required'])
    const { headers } = await get(manager, path)
    const etag = headers.get('etag') ?? ''
    assert.equal(blind.body.error_list[0].extra.etag, etag)
    assert.equal((await patch(manager, path, { name: 'First' }, { 'if-match': etag })).status, 200)
    const late = await patch(manager, path, { name: 'Second' }, { 'if-match': etag })
    assert.deepEqual([late.status, refusalOf(late).code], [412, 'version-mismatch'])
    assert.equal((await get(manager, path)).body.name, 'First')
    // A merge patch is read regardless of its media type, and omitted fields stay.
    const typed = { 'if-match': '*', 'content-type': 'application/merge-patch+json' }
    assert.equal((await patch(manager, path, {}, typed)).body.name, 'First')
    for (const body of [{ name: null }, { email: null }, { username: 'x' }, { name: '' }, { id: 'x' }, []]) {
      const refused = await patch(manager, path, body, { 'if-match': '*' })
      assert.equal(refused.status, 400, JSON.stringify(body))
    }
    for (const body of [{ name: 'a\u202eb' }, { email: 'no address' }]) {
      assert.equal(refusalOf(await patch(manager, path, body, { 'if-match': '*' })).code, 'invalid-field')
    }
    const stale = await post(manager, `${path}/disable`, { headers: { 'if-match': etag } })
    assert.equal(refusalOf(stale).code, 'version-mismatch')
    // If two callers saw the same record, one wins.
    const now = (await get(manager, path)).headers.get('etag') ?? ''
    const both = await Promise.all(
      ['One', 'Two'].map((name) => patch(manager, path, { name }, { 'if-match': now })),
    )
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412])
  })

  test('a dry run answers as the change would, and changes nothing', async () => {
    const person = await addPerson(service)
    const { username, id } = person
    const { signInSessions } = service.installation
    const at = service.now()
    const idHash = randomBytes(32)
    const expiresAt = new Date(at.getTime() + 3_600_000)
    await signInSessions.insert({ idHash, accountId: id, seen: 0, createdAt: at, expiresAt })
    const query = '?dry_run=true'
    const disabled = await post(manager, `/accounts/${username}/disable`, { query })
    assert.deepEqual([disabled.status, disabled.headers.get('ratafia-dry-run')], [200, 'true'])
    assert.notEqual(disabled.body.disabled_at, null)
    assert.equal((await get(manager, `/accounts/${username}`)).body.disabled_at, null)
    assert.ok(await signInSessions.find(idHash), 'no browser was signed out')
    const link = await post(manager, `/accounts/${username}/password-link`, { query })
    assert.deepEqual([link.status, link.body.url], [201, null])
    const links = await service.installation.database.query
      .selectFrom('reset_link')
      .selectAll()
      .where('account_id', '=', id)
      .execute()
    assert.deepEqual(links, [])
    const body = { username: 'dry-one', email: 'd@example.org', name: 'Dry' }
    assert.equal((await post(manager, '/accounts', { query, body })).status, 201)
    assert.equal(refusalOf(await get(manager, '/accounts/dry-one')).code, 'no-such-record')
    assert.deepEqual(await entriesOf(username), ['account.add'])
  })

  test('lists accounts in pages, by the beginning of a name and by state', async () => {
    const names = ['list-a', 'list-a-b', 'list-b', 'list-c']
    for (const name of names) await addPerson(service, name)
    await disableAccount('list-b', service.installation)
    const listed = async (query: string): Promise<readonly string[]> => {
      const { status, body } = await get(manager, '/accounts', query)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.next, null)
      return body.accounts.map(({ username }: { username: string }) => username)
    }
    assert.deepEqual([...(await listed('?q=list-'))].sort(), names)
    assert.deepEqual(await listed('?q=list-a-'), ['list-a-b'])
    assert.deepEqual(await listed('?q=list-&state=disabled'), ['list-b'])
    assert.deepEqual(await listed('?q=list-b&state=enabled'), [])
    const seen = await everyPage(service, manager, '/accounts', { query: '&q=list' })
    assert.deepEqual(seen.map(({ username }) => username).sort(), names)
    const { body } = await get(manager, '/accounts', '?q=list&limit=2')
    for (const query of [`?q=lis&cursor=${body.next}`, '?q=A', '?q=%25', '?state=all', '?limit=0', '?x=1']) {
      assert.equal((await get(manager, '/accounts', query)).status, 400, query)
    }
  })

  test('Guarantee: a page reads a bounded number of accounts, and the list misses none', async () => {
    const authority = deciding()
    for (let index = 0; index < 5; index++) await addPerson(service, `window-${index}`)
    const found: string[] = []
    let short = 0
    for (let after: string | undefined; ; ) {
      const listing = { authority, filter: { beginning: 'window-' }, after, limit: 100 }
      const page = await listAccounts(listing, { ...service.installation, mostRows: 2 })
      found.push(...page.accounts.map(({ username }) => username))
      if (page.examined !== undefined) short++
      if (page.next === undefined) break
      after = page.next
    }
    assert.equal(found.length, 5)
    assert.ok(short > 2)
  })

  test('lists identities and agents of an account, and removes an agent', async () => {
    const person = await addPerson(service)
    const path = `/accounts/${person.username}`
    for (const subject of ['b', 'a', 'c']) {
      await service.installation.accounts.insertIdentity(
        { issuer: 'https://id.example.org', subject },
        person.id,
        new Date('2026-11-20T10:00:00Z'),
      )
    }
    const first = await get(manager, `${path}/identities`, '?limit=2')
    assert.deepEqual(
      first.body.identities,
      ['a', 'b'].map((subject) => ({
        issuer: 'https://id.example.org',
        subject,
        linked_at: '2026-11-20T10:00:00.000Z',
      })),
    )
    const rest = await get(manager, `${path}/identities`, `?limit=2&cursor=${first.body.next}`)
    assert.deepEqual(
      [rest.body.identities[0].subject, rest.body.identities.length, rest.body.next],
      ['c', 1, null],
    )

    await addAgentTo(service, person, `${person.username}.bot`)
    const other = await addPerson(service)
    await addAgentTo(service, other, `${other.username}.bot`)
    const { body } = await get(manager, `${path}/agents`)
    const [agent, ...more] = body.agents
    assert.deepEqual([agent.name, agent.account, more], [`${person.username}.bot`, person.username, []])
    assert.equal(agent.limits.permissions, null)
    // Below another account it is treated as missing.
    const elsewhere = await post(manager, `${path}/agents/${other.username}.bot/remove`)
    assert.equal(refusalOf(elsewhere).code, 'no-such-record')
    const tried = await post(manager, `${path}/agents/${agent.name}/remove`, { query: '?dry_run=true' })
    assert.deepEqual([tried.status, tried.body], [200, agent])
    assert.deepEqual((await post(manager, `${path}/agents/${agent.name}/remove`)).body, agent)
    assert.equal(refusalOf(await post(manager, `${path}/agents/${agent.name}/remove`)).code, 'no-such-record')
    assert.deepEqual((await get(manager, `${path}/agents`)).body.agents, [])
  })

  test('a link for a new password works once, for its account', async () => {
    const { username } = await addPerson(service)
    const made = await post(manager, `/accounts/${username}/password-link`)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { url, expires_at, username: whose } = made.body
    assert.equal(whose, username)
    assert.ok(url.startsWith(`${service.baseUrl}/identity/reset?secret=`))
    const left = Date.parse(expires_at) - service.now().getTime()
    assert.ok(left > 23.9 * 3_600_000 && left <= 24 * 3_600_000)
    assert.equal((await fetch(url)).status, 200)
    const [entry] = await service.installation.audit.list({ subject: username }, { limit: 1 })
    assert.equal(entry?.action, 'account.reset-link')
    assert.ok(!entry?.details.includes(new URL(url).searchParams.get('secret') ?? 'no secret'))
    await disableAccount(username, service.installation)
    assert.equal(refusalOf(await post(manager, `/accounts/${username}/password-link`)).code, 'state-conflict')
  })

  test('refuses accounts that do not exist or were removed', async () => {
    for (const name of ['unknown', 'x'.repeat(32), '%00', '..%2f', 'A', 'x'.repeat(2000)]) {
      assert.equal(refusalOf(await get(manager, `/accounts/${name}`)).code, 'no-such-record', name)
      for (const change of Object.values(CHANGES)) {
        assert.equal(refusalOf(await change(manager, name)).code, 'no-such-record', name)
      }
    }
    const { id } = await addPerson(service)
    await removeAccount({ account: id }, service.installation)
    const gone = await get(manager, `/accounts/${id}`)
    assert.match(gone.body.removed_at, /Z$/)
    assert.equal(gone.body.email, '')
    for (const change of [CHANGES.enable, CHANGES.edit, CHANGES.link]) {
      assert.equal(refusalOf(await change(manager, id)).code, 'state-conflict')
    }
    assert.deepEqual((await CHANGES.disable(manager, id)).body, gone.body)
    const { body } = await get(manager, '/accounts', `?q=${gone.body.username}`)
    assert.deepEqual(body.accounts, [])
    for (const username of ['operator', 'A', 'a--b', 'a', '-ab', 'x'.repeat(29)]) {
      const refused = await post(manager, '/accounts', { body: { username, email: 'a@b.c', name: 'A' } })
      assert.equal(refusalOf(refused).code, 'invalid-field', username)
    }
    const typed = { username: 'typed', email: 'a@b.c', name: 'A', password: 'correct horse' }
    assert.equal((await post(manager, '/accounts', { body: typed })).status, 400)
  })

  test('Guarantee: refuses changes to an account with a role that the caller does not have', async () => {
    const [chief, auditor, own] = [
      await operator(),
      await addManager(service, 'auditor'),
      await addManager(service, 'device-approver acme'),
    ]
    const before = await get(manager, `/accounts/${chief.username}`)
    for (const target of [chief, auditor, own]) {
      for (const [name, change] of Object.entries(CHANGES)) {
        const { status, code } = refusalOf(await change(manager, target.username))
        assert.deepEqual([status, code], [403, 'permission-denied'], `${name} ${target.username}`)
      }
    }
    assert.deepEqual((await get(manager, `/accounts/${chief.username}`)).body, before.body)
    // Their token can leave out a role that they have.
    const both = await addManager(service, 'account-manager', 'auditor')
    const limited = await managementToken(service, both, { roles: ['account-manager'] })
    assert.equal(refusalOf(await CHANGES.disable(limited, auditor.id)).code, 'permission-denied')
    assert.equal((await CHANGES.disable(await managementToken(service, both), auditor.id)).status, 200)
    // They can change accounts with the same roles.
    const equal = await addManager(service, 'account-manager')
    assert.equal((await CHANGES.link(manager, equal.username)).status, 201)
    const name = `${chief.username}.bot`
    await addAgentTo(service, chief, name)
    const removing = await post(manager, `/accounts/${chief.username}/agents/${name}/remove`)
    assert.equal(refusalOf(removing).code, 'permission-denied')
  })

  test('Guarantee: a link from before an account got a role stops working', async () => {
    const { username } = await addPerson(service)
    const { body } = await post(manager, `/accounts/${username}/password-link`)
    assert.equal((await fetch(body.url)).status, 200)
    await grant(service, username, 'auditor')
    assert.notEqual((await fetch(body.url)).status, 200)
  })

  test('Guarantee: seeing and changing accounts require their permissions', async () => {
    const { username } = await addPerson(service)
    for (const [roles, reads] of [
      [['viewer acme'], false],
      [['viewer'], false],
      [['brand-manager'], false],
      [['auditor'], true],
    ] as const) {
      const token = await managerToken(service, ...roles)
      for (const path of ['', `/${username}`, `/${username}/identities`, `/${username}/agents`, '/unknown']) {
        const answer = await get(token, `/accounts${path}`)
        if (reads) assert.equal(answer.status, path === '/unknown' ? 404 : 200, `${roles} ${path}`)
        else assert.equal(refusalOf(answer).code, 'permission-denied', `${roles} ${path}`)
      }
      for (const change of Object.values(CHANGES)) {
        for (const name of [username, 'unknown']) {
          assert.equal(refusalOf(await change(token, name)).code, 'permission-denied', `${roles} ${name}`)
        }
      }
      const body = { username: 'never', email: 'a@b.c', name: 'A' }
      assert.equal(refusalOf(await post(token, '/accounts', { body })).code, 'permission-denied')
    }
    const reading = await managementToken(service, managing, { read_only: true })
    assert.equal((await get(reading, '/accounts')).status, 200)
    assert.equal(refusalOf(await CHANGES.disable(reading, username)).code, 'permission-denied')
    const developer = await logIn(service, managing)
    const answer = await call(service, 'GET', '/api/management/v1/accounts', { headers: bearing(developer) })
    assert.deepEqual([answer.status, refusalOf(answer).code], [401, 'macaroon-authorization-required'])
  })

  test('Guarantee: an agent, or a sign-in over 15 minutes ago, cannot create a link or change an account with roles', async () => {
    const plain = await addPerson(service)
    const equal = await addManager(service, 'account-manager')
    for (const signedIn of ['agent ci', '', 'browser', 'king']) {
      const token = await managementToken(service, managing, {}, { signedIn })
      assert.equal(refusalOf(await CHANGES.link(token, plain.username)).code, 'person-required')
      for (const [name, change] of Object.entries(CHANGES)) {
        assert.equal(refusalOf(await change(token, equal.username)).code, 'person-required', name)
      }
      // Programs can make changes that do not give access.
      assert.equal((await CHANGES.disable(token, plain.username)).status, 200)
      assert.equal((await CHANGES.enable(token, plain.username)).status, 200)
    }
    const token = await managementToken(service, managing)
    service.advance(14 * MINUTE)
    assert.equal((await CHANGES.link(token, plain.username)).status, 201)
    service.advance(2 * MINUTE)
    const late = await CHANGES.link(token, plain.username)
    assert.deepEqual([late.status, late.body.error_list[0].code], [401, 'recent-sign-in-required'])
    const disabling = await CHANGES.disable(token, equal.username)
    assert.equal(disabling.body.error_list[0].code, 'recent-sign-in-required')
    assert.equal((await CHANGES.disable(token, plain.username)).status, 200)
    manager = await managementToken(service, managing)
  })

  test('Guarantee: does not disable the last operator, even if two disable each other at once', async () => {
    const { grants } = service.installation
    for (const { accountId, role, brandId } of await grants.list({ role: 'operator' }, { limit: 1000 })) {
      await grants.remove({ accountId, role, brandId })
    }
    const [ada, bob] = [await operator(), await operator()]
    const [ofAda, ofBob] = [await managementToken(service, ada), await managementToken(service, bob)]
    const ends = await Promise.all([CHANGES.disable(ofAda, bob.id), CHANGES.disable(ofBob, ada.id)])
    const lost = ends.filter(({ status }) => status !== 200)
    assert.equal(lost.length, 1, JSON.stringify(ends.map(({ body }) => body)))
    // The loser was disabled before its request, or was the last one.
    assert.ok([401, 409].includes(lost[0]?.status ?? 0))
    const left = ends[0]?.status === 200 ? { token: ofAda, id: ada.id } : { token: ofBob, id: bob.id }
    assert.equal(refusalOf(await CHANGES.disable(left.token, left.id)).code, 'last-operator')
    const dry = await post(left.token, `/accounts/${left.id}/disable`, { query: '?dry_run=true' })
    assert.equal(refusalOf(dry).code, 'last-operator')
  })

  testOnce('Guarantee: shows a link again to a caller who lost it, for at most ten minutes', async () => {
    const { username } = await addPerson(service)
    const token = await managementToken(service, managing)
    const headers = { 'idempotency-key': 'a-key-of-one-link' }
    const link = () => post(token, `/accounts/${username}/password-link`, { headers })
    const first = await link()
    service.advance(9 * MINUTE)
    assert.deepEqual((await link()).body, first.body)
    service.advance(2 * MINUTE)
    const late = await link()
    assert.deepEqual([late.status, refusalOf(late).code], [422, 'idempotency-key-reused'])
    assert.deepEqual(await entriesOf(username), ['account.reset-link', 'account.add'])
    manager = await managementToken(service, managing)
  })

  testOnce('creates one account for a request repeated with its Idempotency-Key', async () => {
    const body = { username: 'once', email: 'o@example.org', name: 'Once' }
    const headers = { 'idempotency-key': 'the-same-key-twice' }
    const first = await post(manager, '/accounts', { body, headers })
    const again = await post(manager, '/accounts', { body, headers })
    assert.deepEqual([again.status, again.body], [201, first.body])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })
})
