/** The account pages: view, create, edit, disable, set-password links. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { linkIdentity } from '../support/accounts.ts'
import {
  assertHarmless,
  type ConsoleBrowser,
  consoleAs,
  consoleOf,
  HOSTILE,
  nextPage,
  proofIn,
  rowsOf,
  textOf,
  unescaped,
} from '../support/console.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import { addManager, addOperator, manage, managementToken } from '../support/managers.ts'
import { addAgentTo, addPerson, logIn, testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  describe('the account pages', () => {
    const service = testService(fresh)
    let operator: ConsoleBrowser
    let operating: Account
    let token: string
    before(async () => {
      operating = await addOperator(service)
      operator = await consoleOf(service, operating)
      token = await managementToken(service, operating)
    })
    const record = async (id: string) => (await manage(service, token, 'GET', `/accounts/${id}`)).body
    const entries = async (subject: string) =>
      (await service.installation.audit.list({ subject }, { limit: 50 })).map(({ action }) => action)
    const linksOf = (id: string) =>
      service.installation.database.query
        .selectFrom('reset_link')
        .selectAll()
        .where('account_id', '=', id)
        .execute()

    test('the list shows each account with its roles, its agents and its latest login', async () => {
      const person = await addPerson(service)
      const approver = await addManager(service, 'device-approver acme-brand')
      await addAgentTo(service, person, `of-${person.username}`)
      await logIn(service, person)
      const page = await operator.get('/console/accounts')
      assert.equal(page.status, 200)
      const row = rowWith(page.text, `/console/accounts/${person.username}"`)
      assert.match(row, /data-l="Agents" class="num">1</)
      assert.match(row, /<span title="[^"]+ UTC">/)
      assert.match(row, /●<\/span> enabled/)
      assert.match(
        rowWith(page.text, `/console/accounts/${approver.username}"`),
        /device-approver: acme-brand/,
      )
      assert.match(page.text, /href="\/console\/accounts\/new"/)
    })

    test('the list has filters and pages, and a message if nothing matches', async () => {
      for (let index = 0; index < 101; index++) await addPerson(service, `many-${index}`)
      const first = await operator.get('/console/accounts?q=Many-')
      assert.equal(rowsOf(first).length, 100)
      const second = await nextPage(operator, first)
      assert.match(textOf(second), /1 on this page/)
      assert.match(second.text, /href="\/console\/accounts\?q=Many-"/)
      const none = await operator.get('/console/accounts?q=not-a-name&state=disabled')
      assert.match(textOf(none), /Nothing matches these filters: search: not-a-name state: disabled/)
      const refused = await operator.get('/console/accounts?state=nonsense')
      assert.equal(refused.status, 400)
      assert.match(textOf(refused), /The filter “state” is not one of enabled/)
      assert.equal((await operator.get('/console/accounts?q=%3Cscript%3E')).status, 400)
    })

    test('creates an account, and shows a working set-password link once', async () => {
      const form = await operator.open('/console/accounts/new')
      assert.equal(form.status, 200)
      // A browser would refuse this address in an input for e-mail addresses.
      assert.match(form.text, /<input type="text" [^>]*name="email"[^>]* inputmode="email"/)
      const fields = { username: 'grace', name: 'Grace H', email: 'zoë@example.org' }
      const made = await operator.submit(form, '/console/accounts/new', fields)
      assert.equal(made.status, 200, textOf(made))
      assert.match(textOf(made), /Copy it now\./)
      assert.equal(made.headers.get('cache-control'), 'no-store')
      const [, link = ''] = /<textarea id="once-link"[^>]*>\s*(\S+)<\/textarea>/.exec(made.text) ?? []
      const opened = await fetch(unescaped(link), { headers: { accept: 'text/html' } })
      assert.equal(opened.status, 200)
      const { username, name, email, password } = await record('grace')
      assert.deepEqual({ username, name, email, password }, { ...fields, password: false })
      assert.deepEqual(await entries('grace'), ['account.reset-link', 'account.add'])
      // The same form, sent again, creates nothing and shows the same link. Ten minutes later, it shows nothing any
      // more.
      const again = await operator.submit(form, '/console/accounts/new', fields)
      assert.equal(again.text, made.text)
      assert.equal((await linksOf((await record('grace')).id)).length, 1)
      service.advance(11 * 60_000)
      const later = await consoleOf(service, operating)
      const { once } = proofIn(form)
      const shown = await later.fill('/console/accounts/new', { once, ...fields })
      assert.equal(shown.status, 410)
      assert.doesNotMatch(shown.text, /reset\?secret/)
      operator = await consoleOf(service, operating)
      token = await managementToken(service, operating)
    })

    test('creates an account with a role for a brand, and its link still works', async () => {
      const form = await operator.open('/console/accounts/new')
      const fields = { username: 'hopper', name: 'Hopper', email: 'hopper@example.org' }
      const unknown = await operator.submit(form, '/console/accounts/new', {
        ...fields,
        role: 'viewer',
        brand: 'no-such-brand',
      })
      assert.equal(unknown.status, 422)
      assert.match(textOf(unknown), /There is no brand no-such-brand/)
      assert.match(unknown.text, /value="hopper@example.org"/)
      const noRole = await operator.submit(unknown, '/console/accounts/new', { ...fields, brand: 'x' })
      assert.match(textOf(noRole), /Choose a role/)
      const scoped = await operator.submit(unknown, '/console/accounts/new', {
        ...fields,
        role: 'auditor',
        brand: 'x',
      })
      assert.match(textOf(scoped), /The role auditor applies to the whole service/)
      assert.equal((await manage(service, token, 'GET', '/accounts/hopper')).status, 404)
      const made = await operator.submit(unknown, '/console/accounts/new', { ...fields, role: 'operator' })
      assert.equal(made.status, 200, textOf(made))
      const { id } = await record('hopper')
      const { grants } = (await manage(service, token, 'GET', '/grants', { query: `?account=${id}` })).body
      assert.deepEqual(
        grants.map(({ role, brand }: { role: string; brand: string | null }) => [role, brand]),
        [['operator', null]],
      )
      assert.equal((await linksOf(id)).length, 1)
      assert.match((await operator.get('/console/accounts/hopper')).text, /reset|account\.reset-link/)
    })

    test('shows each problem at its field, and keeps what the user typed', async () => {
      const taken = await operator.fill('/console/accounts/new', {
        ...{ username: operating.username, name: 'N', email: 'n@example.org' },
      })
      assert.equal(taken.status, 422)
      assert.match(textOf(taken), /The username "operator-\d+" is taken/)
      for (const [wrong, message] of [
        [{ username: 'Not A Name' }, /A username has 2 to 28/],
        [{ name: '\u202eevil' }, /A display name has/],
        [{ email: 'nothing' }, /is not an e-mail address/],
        [{ username: '' }, /A username has 2 to 28/],
      ] as const) {
        const sent = { username: 'fine-name', name: 'Fine', email: 'f@example.org', ...wrong }
        const page = await operator.submit(taken, '/console/accounts/new', sent)
        assert.equal(page.status, 422)
        assert.match(textOf(page), message)
        const [field = ''] = Object.keys(wrong)
        assert.match(page.text, new RegExp(`href="#f-${field}"`))
        assert.match(page.text, new RegExp(`id="f-${field}"[^>]*aria-invalid="true"`))
      }
      const fields = { username: HOSTILE, name: HOSTILE, email: HOSTILE, role: HOSTILE, brand: HOSTILE }
      const hostile = await operator.submit(taken, '/console/accounts/new', fields)
      assert.equal(hostile.status, 422)
      assertHarmless(hostile)
      assert.equal((await manage(service, token, 'GET', '/accounts/fine-name')).status, 404)
    })

    test('the account page shows its details, roles, agents, identities, tokens and recent activity', async () => {
      const person = await addManager(service, 'viewer')
      const { installation } = service
      const name = `agent-of-${person.username}`
      await addAgentTo(service, person, name)
      await linkIdentity(
        { account: person.username, issuer: 'https://login.example.com', subject: 'u-123' },
        installation,
      )
      await logIn(service, person, { description: 'ci: hello' })
      const path = `/console/accounts/${person.username}`
      const page = await operator.get(path)
      assert.equal(page.status, 200)
      const text = textOf(page)
      for (const part of [
        ...[person.id, `${person.username}@example.org`, name, 'https://login.example.com', 'u-123'],
        ...['ci: hello', 'account.add', 'by operator'],
      ]) {
        assert.ok(text.includes(part), part)
      }
      for (const address of [
        ...['edit', 'disable', 'password-link', `agents/${name}/remove`].map((rest) => `${path}/${rest}`),
        `/console/grants/new?account=${person.username}`,
        `/console/grants/${encodeURIComponent(`${person.id}:viewer`)}/remove`,
        `/console/all-tokens?account=${person.username}&amp;state=all`,
      ]) {
        assert.ok(page.text.includes(`href="${address}"`), address)
      }
      assert.equal((await operator.get(`/console/accounts/${person.id}`)).status, 200)
      const missing = await operator.get('/console/accounts/unknown-name')
      assert.equal(missing.status, 404)
      assert.match(textOf(missing), /There is no account "unknown-name"/)
    })

    test('an auditor sees an account and its activity, but cannot change it; a viewer sees no accounts', async () => {
      const { username } = await addPerson(service)
      const auditor = await consoleAs(service, 'auditor')
      assert.match(textOf(await auditor.get(`/console/accounts/${username}`)), /Recent activity/)
      for (const path of ['new', `${username}/edit`]) {
        const refused = await auditor.get(`/console/accounts/${path}`)
        assert.equal(refused.status, 403, path)
        assert.match(textOf(refused), /accounts:manage/)
      }
      const viewer = await consoleAs(service, 'viewer')
      for (const path of ['', `/${username}`, '/new']) {
        assert.equal((await viewer.get(`/console/accounts${path}`)).status, 403, path)
      }
    })

    test('edits an account with any e-mail address, which can stay unchanged', async () => {
      for (const email of ['zoë@example.com', 'zoë@xn--exmple-cua.org', 'o\u2019hara@b', '']) {
        const { username } = await addPerson(service)
        await service.installation.database.query
          .updateTable('account')
          .set({ email })
          .where('username', '=', username)
          .execute()
        const path = `/console/accounts/${username}/edit`
        const form = await operator.open(path)
        const [field = ''] = form.text.match(/<input [^>]*name="email"[^>]*>/) ?? []
        assert.match(field, / type="text" .* inputmode="email"/)
        assert.ok(field.includes(` value="${email}"`), field)
        assert.equal(field.includes(' required'), email !== '')
        const { status } = await operator.submit(form, path, { name: 'Other', email, reminders: 'on' })
        assert.equal(status, 303, email)
        const { name, email: after } = await record(username)
        assert.deepEqual([name, after], ['Other', email])
      }
    })

    test('a display name that breaks a newer rule can stay unchanged', async () => {
      const { username, email } = await addPerson(service)
      const name = 'An\u2800na'
      const { query } = service.installation.database
      await query.updateTable('account').set({ name }).where('username', '=', username).execute()
      const path = `/console/accounts/${username}/edit`
      const { status } = await operator.fill(path, { name, email })
      assert.equal(status, 303)
      assert.deepEqual([(await record(username)).name, (await record(username)).reminders], [name, false])
    })

    test('Guarantee: an edit changes only the version that the user has seen; a late form shows what changed', async () => {
      const { username } = await addPerson(service)
      const path = `/console/accounts/${username}/edit`
      const form = await operator.open(path)
      assert.match(form.text, new RegExp(`value="Name of ${username}"`))
      const sent = { name: 'First', email: 'first@example.org', reminders: 'on' }
      const first = await operator.submit(form, path, sent)
      assert.deepEqual([first.status, first.location], [303, `/console/accounts/${username}`])
      assert.match(
        textOf(await operator.open(`/console/accounts/${username}`)),
        new RegExp(`Account ${username} saved`),
      )
      const late = await operator.submit(form, path, {
        ...{ name: 'Late', email: 'late@example.org', once: 'a'.repeat(22) },
      })
      assert.equal(late.status, 422)
      assert.match(
        textOf(late),
        /has changed since you read it.*Someone else has changed this. The current value is: First/,
      )
      assert.match(late.text, /value="Late"/)
      assert.equal((await record(username)).name, 'First')
      const seen = await operator.submit(late, path, { name: 'Late', email: 'late@example.org' })
      assert.equal(seen.status, 303)
      const { name, email, reminders } = await record(username)
      assert.deepEqual([name, email, reminders], ['Late', 'late@example.org', false])
      // A form without the version is also refused.
      const blind = await operator.fill(path, { seen: '', name: 'B', email: 'b@example.org' })
      assert.equal(blind.status, 422)
      assert.equal((await record(username)).name, 'Late')
    })

    test('disables and enables an account by one button each, in the version that the user has seen', async () => {
      const { username } = await addPerson(service)
      const path = `/console/accounts/${username}/disable`
      const form = await operator.open(path)
      assert.match(textOf(form), /cannot log in any more/)
      await manage(service, token, 'PATCH', `/accounts/${username}`, {
        ...{ body: { name: 'Other' }, headers: { 'if-match': '*' } },
      })
      const stale = await operator.submit(form, path)
      assert.equal(stale.status, 422)
      assert.equal((await record(username)).disabled_at, null)
      const done = await operator.submit(stale, path)
      assert.deepEqual([done.status, done.location], [303, `/console/accounts/${username}`])
      const disabledAt = (await record(username)).disabled_at
      assert.match(disabledAt, /^\d{4}/)
      // The same form takes effect once.
      assert.equal((await operator.submit(stale, path)).status, 303)
      assert.deepEqual((await entries(username)).filter((action) => action === 'account.disable').length, 1)
      const page = await operator.open(`/console/accounts/${username}`)
      assert.match(textOf(page), new RegExp(`Account ${username} disabled`))
      assert.match(page.text, /✕<\/span> disabled/)
      const back = `/console/accounts/${username}/enable`
      assert.equal((await operator.fill(back)).status, 303)
      assert.equal((await record(username)).disabled_at, null)
    })

    test('the last operator who can sign in cannot be disabled, and the page explains why', async () => {
      const only = (await manage(service, token, 'GET', '/grants', { query: '?role=operator' })).body.grants
      for (const { id, account } of only) {
        if (account === operating.username) continue
        await manage(service, token, 'POST', `/grants/${id}/remove`, { body: {} })
      }
      const path = `/console/accounts/${operating.username}/disable`
      const page = await operator.get(path)
      assert.equal(page.status, 200)
      assert.match(textOf(page), /the last account with the role operator that can sign in/)
      assert.doesNotMatch(page.text, /action="\/console\/accounts/)
      const other = await operator.get('/console/accounts/new')
      const forced = await operator.post(path, new URLSearchParams({ ...proofIn(other), seen: '*' }))
      assert.equal(forced.status, 422)
      assert.equal((await record(operating.username)).disabled_at, null)
    })

    test('creates a set-password link for an existing account, and shows it once', async () => {
      const person = await addPerson(service)
      const path = `/console/accounts/${person.username}/password-link`
      const form = await operator.open(path)
      assert.match(textOf(form), /once, within 24 hours/)
      assert.deepEqual(await linksOf(person.id), [])
      const shown = await operator.submit(form, path)
      assert.equal(shown.status, 200)
      assert.match(shown.text, /\/reset\?secret=/)
      assert.equal((await linksOf(person.id)).length, 1)
      await manage(service, token, 'POST', `/accounts/${person.username}/disable`, { body: {} })
      const refused = await operator.get(path)
      assert.equal(refused.status, 200)
      assert.doesNotMatch(refused.text, /action="\/console\/accounts/)
      assert.match(textOf(refused), /disabled/)
    })

    test('removes an agent after the user has typed its name', async () => {
      const person = await addPerson(service)
      const { installation } = service
      const name = `factory.${person.username}`
      await addAgentTo(service, person, name)
      const path = `/console/accounts/${person.username}/agents/${encodeURIComponent(name)}/remove`
      const wrong = await operator.fill(path, { typed: 'factory' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), new RegExp(`Type exactly ${name}`))
      assert.ok(await installation.agents.find(name))
      const done = await operator.submit(wrong, path, { typed: name })
      assert.deepEqual([done.status, done.location], [303, `/console/accounts/${person.username}`])
      assert.equal(await installation.agents.find(name), undefined)
      assert.equal((await operator.get(path)).status, 404)
      // Through another account, the agent does not exist.
      const other = await addPerson(service)
      await addAgentTo(service, other, name)
      assert.equal((await operator.get(path)).status, 404)
    })
  })
})

describe('permissions for accounts', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('Guarantee: an account-manager cannot change accounts with more permissions, and sees no buttons for it', async () => {
      const operator = await addOperator(service)
      const approver = await addManager(service, 'device-approver')
      const person = await addPerson(service)
      const manager = await consoleAs(service, 'account-manager')
      for (const { username } of [operator, approver]) {
        const page = await manager.get(`/console/accounts/${username}`)
        assert.equal(page.status, 200)
        assert.match(textOf(page), /a role with more permissions than yours/)
        assert.doesNotMatch(page.text, new RegExp(`href="/console/accounts/${username}/`))
        for (const form of ['edit', 'disable', 'enable', 'password-link']) {
          const refused = await manager.get(`/console/accounts/${username}/${form}`)
          assert.equal(refused.status, 403, form)
          assert.match(textOf(refused), /This account has the role/)
        }
      }
      const own = await manager.get(`/console/accounts/${person.username}`)
      assert.match(own.text, new RegExp(`href="/console/accounts/${person.username}/disable"`))
      assert.equal((await manager.get('/console/grants')).status, 403)
      const form = await manager.open('/console/accounts/new')
      assert.doesNotMatch(form.text, /name="role"/)
      const forged = await manager.submit(form, '/console/accounts/new', {
        ...{ username: 'climber', name: 'C', email: 'c@example.org', role: 'operator' },
      })
      assert.equal(forged.status, 403)
      assert.equal(await service.installation.accounts.findByUsername('climber' as never), undefined)
      // The form for an account that it may change does not let it change the other.
      const mine = await manager.open(`/console/accounts/${person.username}/disable`)
      const body = new URLSearchParams({ ...proofIn(mine), seen: '*' })
      const other = await manager.post(`/console/accounts/${operator.username}/disable`, body)
      assert.equal(other.status, 403)
      assert.equal((await service.installation.accounts.findById(operator.id))?.disabledAt, undefined)
    })

    test('the account page with very many agents mentions that there are more', async () => {
      const operator = await consoleOf(service, await addOperator(service))
      const person = await addPerson(service)
      for (let index = 0; index < 50; index++) await addAgentTo(service, person, `many-agents-${index}`)
      const path = `/console/accounts/${person.username}`
      assert.doesNotMatch(textOf(await operator.get(path)), /There are more/)
      await addAgentTo(service, person, 'many-agents-50')
      assert.match(
        textOf(await operator.get(path)),
        /There are more\. List them with ratafia agents list --account/,
      )
    })
  })
})

const rowWith = (page: string, text: string): string =>
  page.split('<tr role="row">').find((row) => row.includes(text)) ?? assert.fail(`no row with ${text}`)
