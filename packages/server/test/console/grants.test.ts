/** The grant pages: list, grant and remove roles, and attacks. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { addAgent } from '../support/accounts.ts'
import { type ConsoleBrowser, consoleOf, textOf, unescaped } from '../support/console.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import { withAcme } from '../support/devices.ts'
import { addManager, addOperator, manage, managementToken } from '../support/managers.ts'
import { addPerson, testService } from '../support/service.ts'

const HOSTILE = `<script>alert("1")</script>'\u202e${'x'.repeat(500)}`
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
        const { text } = await operator.get(`/console/grants${query}`)
        const rows = text.split('<tbody>')[1]?.split('</tbody>')[0] ?? ''
        assert.ok(rows.includes(shown.username), query)
        assert.ok(!rows.includes(hidden.username), query)
      }
      for (const query of ['?account=nobody-here', '?brand=no-such-brand', '?account=nobody&role=viewer']) {
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
      const location = `${service.baseUrl}/identity`
      for (const name of names) {
        await addAgent({ name, account: person.username }, { ...service.installation, location })
      }
      const path = '/console/grants/new'
      const sent = { account: person.username, role: 'viewer' }
      const shown = await operator.submit(await operator.open(path), path, sent)
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
      const again = await operator.submit(
        await operator.open('/console/grants/new'),
        '/console/grants/new',
        fields,
      )
      assert.equal(again.status, 422)
      assert.match(textOf(again), /already has the role viewer for acme-brand/)
    })

    test('shows each problem at its field, and keeps what the user typed', async () => {
      const person = await addPerson(service)
      let page = await operator.open('/console/grants/new')
      for (const [wrong, field, message] of [
        [{ account: 'nobody-here' }, 'account', /There is no account "nobody-here"/],
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
      const hostile = await operator.submit(page, '/console/grants/new', {
        ...{ account: HOSTILE, role: 'viewer', brand: HOSTILE, expires: HOSTILE },
      })
      assert.equal(hostile.status, 422)
      assert.doesNotMatch(hostile.text, /<script>alert/)
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
      const wrong = await operator.submit(form, path, { typed: 'somebody' })
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
      const fields = { seen: '*', typed: operating.username }
      const other = await operator.open('/console/grants/new')
      const body = new URLSearchParams({ ...hidden(other.text), ...fields })
      const forced = await operator.post(own, body)
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

describe('permissions for grants', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('an auditor sees grants without a button; only operators grant and remove roles', async () => {
      const operator = await addOperator(service)
      const auditing = await addManager(service, 'auditor')
      const auditor = await consoleOf(service, auditing)
      const list = await auditor.get('/console/grants')
      assert.equal(list.status, 200)
      assert.doesNotMatch(list.text, /href="\/console\/grants\/[^?]/)
      const removal = `/console/grants/${encodeURIComponent(`${operator.id}:operator`)}/remove`
      for (const browser of [
        auditor,
        await consoleOf(service, await addManager(service, 'account-manager')),
      ]) {
        for (const path of ['/console/grants/new', removal]) {
          const refused = await browser.get(path)
          assert.equal(refused.status, 403, path)
          assert.match(textOf(refused), /roles:manage/)
        }
        const form = hidden((await browser.open('/console/tokens/explain')).text)
        const given = new URLSearchParams({ ...form, account: auditing.username, role: 'operator' })
        assert.equal((await browser.post('/console/grants/new', given)).status, 403)
        const taken = new URLSearchParams({
          ...form,
          once: 'd'.repeat(22),
          typed: operator.username,
          seen: '*',
        })
        assert.equal((await browser.post(removal, taken)).status, 403)
      }
      assert.equal((await service.installation.grants.heldBy(operator.id, service.now())).length, 1)
      assert.equal((await service.installation.grants.heldBy(auditing.id, service.now())).length, 1)
      const viewer = await consoleOf(service, await addManager(service, 'viewer'))
      assert.equal((await viewer.get('/console/grants')).status, 403)
    })

    test('Guarantee: granting and removing a role requires a sign-in of the last 15 minutes, and is refused to other sites', async () => {
      const operating = await addOperator(service)
      const person = await addManager(service, 'viewer')
      const signedIn = `browser ${new Date(service.now().getTime() - 3_600_000).toISOString()}`
      const late = await consoleOf(service, operating, { signedIn })
      const removal = `/console/grants/${encodeURIComponent(`${person.id}:viewer`)}/remove`
      for (const path of ['/console/grants/new', removal]) {
        const { status, location } = await late.get(path)
        assert.deepEqual([status, location?.startsWith('/console/sign-in?')], [303, true], path)
      }
      const old = hidden((await late.open('/console/tokens/explain')).text)
      const sent = new URLSearchParams({ ...old, account: person.username, role: 'operator' })
      const asked = await late.post('/console/grants/new', sent)
      assert.deepEqual([asked.status, asked.location?.startsWith('/console/sign-in?')], [303, true])
      const browser = await consoleOf(service, operating)
      const form = await browser.open('/console/grants/new')
      const fields = { account: person.username, role: 'operator' }
      assert.equal((await browser.submit(form, '/console/grants/new', { ...fields, csrf: 'x' })).status, 422)
      const body = new URLSearchParams({ ...hidden(form.text), ...fields })
      const elsewhere = await browser.post('/console/grants/new', body, { 'sec-fetch-site': 'same-site' })
      assert.equal(elsewhere.status, 403)
      assert.equal((await service.installation.grants.heldBy(person.id, service.now())).length, 1)
    })

    test('pages stay within their budget', async () => {
      const operator = await consoleOf(service, await addOperator(service))
      for (let index = 0; index < 100; index++) {
        await addManager(service, `device-approver brand-of-${index}-${'x'.repeat(20)}`)
      }
      const full = await operator.get('/console/grants?role=device-approver')
      assert.equal(full.text.match(/<tr role="row"><td/g)?.length, 100)
      assert.ok(full.text.length <= 90_000, `${full.text.length}`)
      for (const path of ['?account=nobody-here', '/new']) {
        const page = await operator.get(`/console/grants${path}`)
        assert.ok(page.text.length <= 25_000, `${path}: ${page.text.length}`)
      }
    })
  })
})

/** Returns the hidden fields that prove that a form belongs to this session and is sent once. */
const hidden = (page: string): Record<string, string> =>
  Object.fromEntries(
    ['csrf', 'once'].map((name) => {
      const [, value] =
        new RegExp(`name="${name}" value="([^"]*)"`).exec(page.split('</header>')[1] ?? '') ?? []
      return [name, unescaped(value ?? assert.fail(`no field ${name}`))]
    }),
  )
