/** The grant pages: list, grant and remove roles. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import {
  assertHarmless,
  type ConsoleBrowser,
  consoleOf,
  HOSTILE,
  proofIn,
  rowsOf,
  textOf,
} from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { addManager, addOperator, manage, managementToken } from '../support/managers.ts'
import { addAgentTo, addPerson, testService } from '../support/service.ts'

const DAY = 86_400_000

eachDatabase((_kind, _open, fresh) => {
  describe('the grant pages', () => {
    const service = testService(fresh)
    let operator: ConsoleBrowser
    let operating: Account
    let token: string
    before(async () => {
      await withAcme(service.installation)
      operating = await addOperator(service)
      operator = await consoleOf(service, operating)
      token = await managementToken(service, operating)
    })
    const rolesOf = async ({ id }: Account): Promise<readonly string[]> =>
      (await manage(service, token, 'GET', '/grants', { query: `?account=${id}` })).body.grants.map(
        ({ role, brand }: { role: string; brand: string | null }) =>
          brand === null ? role : `${role} ${brand}`,
      )
    const removal = ({ id }: Account, role: string) =>
      `/console/grants/${encodeURIComponent(`${id}:${role}`)}/remove`

    test('the list shows every grant and the meaning of the roles, and has filters in the URL', async () => {
      const viewer = await addManager(service, 'viewer acme-brand')
      const auditor = await addManager(service, 'auditor')
      const page = await operator.get('/console/grants')
      const text = textOf(page)
      assert.equal(page.status, 200)
      for (const { username } of [viewer, auditor, operating]) assert.ok(text.includes(username), username)
      assert.match(text, /Roles .*sees everything, including the audit log, and changes nothing/)
      assert.match(text, /by operator/)
      for (const [query, shown, hidden] of [
        ['?role=auditor', auditor, viewer],
        ['?brand=acme-brand', viewer, auditor],
        [`?account=${viewer.id}`, viewer, auditor],
      ] as const) {
        const rows = rowsOf(await operator.get(`/console/grants${query}`)).join()
        assert.ok(rows.includes(shown.username), query)
        assert.ok(!rows.includes(hidden.username), query)
      }
      for (const query of ['?account=unknown-name', '?brand=no-such-brand', '?account=unknown&role=viewer']) {
        const none = await operator.get(`/console/grants${query}`)
        assert.equal(none.status, 200)
        assert.match(textOf(none), /Nothing matches these filters/)
      }
      const refused = await operator.get('/console/grants?role=king')
      assert.equal(refused.status, 400)
      assert.match(textOf(refused), /The filter “role” is not one of viewer/)
    })

    test('Guarantee: granting a role to an account with agents requires seeing the agents', async () => {
      const person = await addPerson(service)
      const names = ['sleeper', 'line-9'].map((name) => `${name}-${person.username}`)
      for (const name of names) await addAgentTo(service, person, name)
      const path = '/console/grants/new'
      const sent = { account: person.username, role: 'viewer' }
      const shown = await operator.fill(path, sent)
      assert.equal(shown.status, 422)
      assert.match(textOf(shown), /has agents. Select those that also get the role, if any/)
      for (const name of names) assert.match(shown.text, new RegExp(`name="agent" value="${name}"`))
      const given = await operator.submit(shown, path, { ...sent, agent: names.slice(1) })
      assert.equal(given.status, 303, textOf(given))
      const { body } = await manage(service, token, 'GET', '/grants', { query: `?account=${person.id}` })
      assert.deepEqual(body.grants[0].agents, names.slice(1))
    })

    test('grants a role with its brand and its expiry, and a notice confirms it', async () => {
      const person = await addPerson(service)
      const form = await operator.open(`/console/grants/new?account=${person.username}`)
      assert.equal(form.status, 200)
      assert.match(form.text, new RegExp(`value="${person.username}"`))
      assert.match(
        textOf(form),
        /device-approver : sees devices and models, and approves or rejects pending devices/,
      )
      const until = new Date(service.now().getTime() + 40 * DAY).toISOString().slice(0, 10)
      const fields = { account: person.username, role: 'viewer', brand: 'acme-brand', expires: until }
      const given = await operator.submit(form, '/console/grants/new', fields)
      assert.deepEqual([given.status, given.location], [303, `/console/grants?account=${person.username}`])
      const list = await operator.open(given.location ?? '')
      assert.match(textOf(list), new RegExp(`Role viewer granted to ${person.username}.`))
      assert.match(textOf(list), /in (39|40) days/)
      const [grant] = (await manage(service, token, 'GET', '/grants', { query: `?account=${person.id}` }))
        .body.grants
      assert.deepEqual(
        [grant.role, grant.brand, grant.expires_at, grant.granted_by],
        ['viewer', 'acme-brand', `${until}T00:00:00.000Z`, operating.username],
      )
      // The same form takes effect once. Another form with the same grant is refused.
      assert.equal((await operator.submit(form, '/console/grants/new', fields)).status, 303)
      const again = await operator.fill('/console/grants/new', fields)
      assert.equal(again.status, 422)
      assert.match(textOf(again), /already has the role viewer for acme-brand/)
    })

    test('shows each problem at its field, and keeps what the user typed', async () => {
      const person = await addPerson(service)
      let page = await operator.open('/console/grants/new')
      for (const [wrong, field, message] of [
        [{ account: 'unknown-name' }, 'account', /There is no account "unknown-name"/],
        [{ role: '' }, 'role', /Choose a role/],
        [{ role: 'king' }, 'role', /Choose a role/],
        [{ brand: 'no-such-brand' }, 'brand', /There is no brand no-such-brand/],
        [
          { role: 'auditor', brand: 'acme-brand' },
          'brand',
          /applies to the whole service. Grant it without a brand/,
        ],
        [{ expires: '2020-01-01' }, 'expires', /which is in the past/],
        [{ expires: 'soon' }, 'expires', /expires/],
        [{ expires: '2031-02-31' }, 'expires', /does not exist/],
      ] as const) {
        const sent = { account: person.username, role: 'viewer', ...wrong }
        page = await operator.submit(page, '/console/grants/new', sent)
        assert.equal(page.status, 422, JSON.stringify(wrong))
        assert.match(textOf(page), message)
        assert.match(page.text, new RegExp(`href="#f-${field}"`), JSON.stringify(wrong))
      }
      const fields = { account: HOSTILE, role: 'viewer', brand: HOSTILE, expires: HOSTILE }
      const hostile = await operator.submit(page, '/console/grants/new', fields)
      assert.equal(hostile.status, 422)
      assertHarmless(hostile)
      assert.deepEqual(await rolesOf(person), [])
    })

    test('removes a role after the user has typed the username, with immediate effect', async () => {
      const person = await addManager(service, 'viewer', 'account-manager')
      const theirs = await consoleOf(service, person)
      assert.equal((await theirs.get('/console/accounts')).status, 200)
      const path = removal(person, 'account-manager')
      assert.ok((await operator.get('/console/grants')).text.includes(`href="${path}"`))
      const form = await operator.open(path)
      assert.match(
        textOf(form),
        new RegExp(`${person.username} loses the role account-manager for the whole service`),
      )
      const wrong = await operator.submit(form, path, { typed: 'other' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), new RegExp(`Type exactly ${person.username}`))
      assert.deepEqual(await rolesOf(person), ['account-manager', 'viewer'])
      const done = await operator.submit(wrong, path, { typed: person.username })
      assert.deepEqual([done.status, done.location], [303, '/console/grants'])
      assert.deepEqual(await rolesOf(person), ['viewer'])
      assert.equal((await theirs.get('/console/accounts')).status, 403)
      assert.equal((await operator.get(path)).status, 404)
    })

    test('Guarantee: a removal applies to the grant that the user has seen', async () => {
      const person = await addManager(service, 'viewer')
      const path = removal(person, 'viewer')
      const form = await operator.open(path)
      await manage(service, token, 'POST', `/grants/${person.id}:viewer/remove`, { body: {} })
      service.advance(1000)
      await manage(service, token, 'POST', '/grants', { body: { account: person.username, role: 'viewer' } })
      const stale = await operator.submit(form, path, { typed: person.username })
      assert.equal(stale.status, 422)
      assert.match(textOf(stale), /has changed since you read it/)
      assert.deepEqual(await rolesOf(person), ['viewer'])
      assert.equal((await operator.submit(stale, path, { typed: person.username })).status, 303)
      assert.deepEqual(await rolesOf(person), [])
    })

    test("the user's own operator role, and the last one, cannot be removed, and the pages explain why", async () => {
      const own = removal(operating, 'operator')
      const list = await operator.get(`/console/grants?account=${operating.username}`)
      assert.match(textOf(list), /Your own role; only another operator can remove it/)
      assert.ok(!list.text.includes(`href="${own}"`))
      const page = await operator.get(own)
      assert.equal(page.status, 200)
      assert.match(textOf(page), /You cannot remove your own role operator/)
      assert.doesNotMatch(page.text, /action="\/console\/grants/)
      const other = proofIn(await operator.open('/console/grants/new'))
      const fields = { ...other, seen: '*', typed: operating.username }
      const forced = await operator.post(own, new URLSearchParams(fields))
      assert.equal(forced.status, 422)
      assert.match(textOf(forced), /You cannot remove your own role operator/)
      assert.deepEqual(await rolesOf(operating), ['operator'])
    })

    test('the account page shows its roles, who granted them and when, and when they expire', async () => {
      const person = await addManager(service, 'viewer acme-brand')
      const page = await operator.get(`/console/accounts/${person.username}`)
      assert.match(textOf(page), /viewer acme-brand \d+ \w+ 20\d\d by operator never/)
    })
  })
})
