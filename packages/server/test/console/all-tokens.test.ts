/** The pages about the tokens of all accounts: find, view, revoke one or several. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import {
  assertHarmless,
  type ConsoleBrowser,
  consoleAs,
  consoleOf,
  HOSTILE,
  proofIn,
  rowsOf,
  textOf,
  unescaped,
} from '../support/console.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import { addOperator, manage, managementToken } from '../support/managers.ts'
import { addPerson, logIn, type TestService, testService, whoami } from '../support/service.ts'

const DAY = 86_400_000

/** Logs in with this description, and returns the session. */
async function opened(service: TestService, person: Account, description: string) {
  const token = await logIn(service, person, { description })
  const { rows } = await sessionsOf(service, person)
  const session = rows.find((one) => one.description === description) ?? assert.fail(description)
  return { token, id: session.session_id }
}

const sessionsOf = async ({ installation }: TestService, { id }: Account) => ({
  rows: await installation.database.query
    .selectFrom('token_session')
    .selectAll()
    .where('account_id', '=', id)
    .execute(),
})

const revokedIn = async (service: TestService, person: Account): Promise<number> =>
  (await sessionsOf(service, person)).rows.filter(({ revoked_at }) => revoked_at !== null).length

eachDatabase((_kind, _open, fresh) => {
  describe('the pages about all tokens', () => {
    const service = testService(fresh)
    let operator: ConsoleBrowser
    let operating: Account
    before(async () => {
      operating = await addOperator(service)
      operator = await consoleOf(service, operating)
    })

    test('the list shows the tokens of all accounts, and has filters', async () => {
      const ada = await addPerson(service)
      const bob = await addPerson(service)
      const one = await opened(service, ada, 'ci: hello-world')
      const other = await opened(service, bob, 'laptop of bob')
      const all = await operator.get('/console/all-tokens')
      assert.equal(all.status, 200)
      assert.ok(rowsOf(all).some((row) => row.includes(`/console/all-tokens/${one.id}"`)))
      assert.ok(rowsOf(all).some((row) => row.includes(`/console/accounts/${bob.username}"`)))
      const tomorrow = new Date(service.now().getTime() + DAY).toISOString().slice(0, 10)
      for (const [query, shown] of [
        [`?account=${ada.username}`, [one.id]],
        [`?account=${bob.id}`, [other.id]],
        ['?q=HELLO-W', [one.id]],
        ['?kind=developer&q=of bob', [other.id]],
        ['?kind=management&q=of bob', []],
        [`?account=${ada.username}&unused_since=${tomorrow}`, [one.id]],
        [`?account=${ada.username}&ends_before=${tomorrow}`, []],
        [`?account=${ada.username}&state=revoked`, []],
        [`?account=${ada.username}&state=all`, [one.id]],
        ['?account=unknown-name', []],
      ] as const) {
        const page = await operator.get(`/console/all-tokens${query.replaceAll(' ', '%20')}`)
        assert.equal(page.status, 200, query)
        const found = rowsOf(page).map(
          (row) => /href="\/console\/all-tokens\/([0-9a-f-]{36})"/.exec(row)?.[1],
        )
        assert.deepEqual(found, shown, query)
        if (shown.length === 0) assert.match(textOf(page), /Nothing matches these filters/)
      }
      const dates = await operator.get(`/console/all-tokens?ends_before=${tomorrow}`)
      assert.match(dates.text, /<details open>/)
      assert.match(dates.text, new RegExp(`name="ends_before" value="${tomorrow}"`))
      for (const query of ['?state=nonsense', '?ends_before=soon', '?unused_since=2026-02-31']) {
        assert.equal((await operator.get(`/console/all-tokens${query}`)).status, 400, query)
      }
    })

    test('the token page shows its limits, its account and its origin', async () => {
      const ada = await addPerson(service)
      const { id } = await opened(service, ada, 'one to look at')
      const page = await operator.get(`/console/all-tokens/${id}`)
      assert.equal(page.status, 200)
      assert.match(textOf(page), /one to look at.*everything that the account can do.*developer token/)
      assert.ok(page.text.includes(`href="/console/accounts/${ada.username}"`))
      assert.ok(page.text.includes(`href="/console/audit?subject=${id}"`))
      assert.ok(page.text.includes(`href="/console/all-tokens/${id}/revoke"`))
      const own = (await sessionsOf(service, operating)).rows[0]?.session_id
      const management = await operator.get(`/console/all-tokens/${own}`)
      assert.match(textOf(management), /management token.*/)
      assert.match(textOf(management), /Signed in with browser, \d+ [A-Z][a-z]{2} \d{4} \d\d:\d\d UTC/)
      for (const wrong of ['019e3b7c-0f6e-7c42-9d0a-3f5c1d2e4b6a', 'nothing']) {
        assert.equal((await operator.get(`/console/all-tokens/${wrong}`)).status, 404, wrong)
        assert.equal((await operator.get(`/console/all-tokens/${wrong}/revoke`)).status, 404, wrong)
      }
    })

    test('a token links to its account even if the username is “new”', async () => {
      const account = await addPerson(service, 'new')
      const { id } = await opened(service, account, 'one of new')
      for (const path of [`/console/all-tokens/${id}`, '/console/all-tokens?account=new']) {
        const [, link = ''] = /<a href="([^"]+)">new<\/a>/.exec((await operator.get(path)).text) ?? []
        const found = await operator.get(unescaped(link))
        assert.equal(found.status, 200, path)
        assert.match(found.text, new RegExp(`href="/console/accounts/${account.id}"`))
      }
    })

    test('revokes a token after the user has typed its username', async () => {
      const ada = await addPerson(service)
      const { id, token } = await opened(service, ada, 'lost laptop')
      const path = `/console/all-tokens/${id}/revoke`
      const form = await operator.open(path)
      assert.match(textOf(form), new RegExp(`“lost laptop” of ${ada.username}.*cannot be undone`))
      const wrong = await operator.submit(form, path, { typed: 'lost laptop' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), new RegExp(`Type exactly ${ada.username}`))
      assert.equal(await whoami(service, token), 200)
      const done = await operator.submit(wrong, path, { typed: ada.username })
      assert.deepEqual([done.status, done.location], [303, '/console/all-tokens'])
      assert.equal(await whoami(service, token), 401)
      assert.match(textOf(await operator.open(path)), /revoked already/)
      const [entry] = await service.installation.audit.list({ subject: id }, { limit: 1 })
      assert.deepEqual([entry?.action, entry?.actor], ['token.revoke', `account:${operating.username}`])
      assert.match(entry?.details ?? '', /"via":"console"/)
    })

    test('Guarantee: a late form does not revoke a token that has changed in the meantime', async () => {
      const ada = await addPerson(service)
      const { id, token } = await opened(service, ada, 'changing')
      const path = `/console/all-tokens/${id}/revoke`
      const form = await operator.open(path)
      const theirs = await managementToken(service, ada)
      const until = new Date(service.now().getTime() + 5 * DAY).toISOString()
      const shortened = await manage(service, theirs, 'POST', `/me/tokens/${id}/shorten`, { body: { until } })
      assert.equal(shortened.status, 200, JSON.stringify(shortened.body))
      const stale = await operator.submit(form, path, { typed: ada.username })
      assert.equal(stale.status, 422)
      assert.equal(await whoami(service, token), 200)
    })

    test('revokes selected tokens by a job after a preview and the typed number', async () => {
      const ada = await addPerson(service)
      const ids: string[] = []
      for (let index = 0; index < 3; index++) ids.push((await opened(service, ada, `many ${index}`)).id)
      const list = await operator.get(`/console/all-tokens?account=${ada.username}`)
      assert.match(
        list.text,
        /<form id="many" class="actions" method="get" action="\/console\/all-tokens\/revoke">/,
      )
      assert.equal(list.text.match(/type="checkbox" form="many" name="session"/g)?.length, 3)
      const path = '/console/all-tokens/revoke'
      const none = await operator.get(path)
      assert.match(textOf(none), /You did not select any tokens/)
      const form = await operator.get(
        `${path}?${new URLSearchParams(ids.slice(0, 2).map((id): [string, string] => ['session', id]))}`,
      )
      assert.equal(form.status, 200)
      assert.match(textOf(form), /Nothing has been changed yet.*2 tokens would be revoked/)
      assert.match(textOf(form), new RegExp(`many 0 ${ada.username}`))
      assert.equal(await revokedIn(service, ada), 0)
      const sent = { session: ids.slice(0, 2) }
      const wrong = await operator.submit(form, path, { ...sent, typed: '3' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), /Type exactly 2/)
      assert.equal(wrong.text.match(/name="session"/g)?.length, 2)
      const made = await operator.submit(wrong, path, { ...sent, typed: '2' })
      assert.equal(made.status, 303, textOf(made))
      assert.match(made.location ?? '', /^\/console\/jobs\/[0-9a-f-]{36}$/)
      const again = await operator.submit(wrong, path, { ...sent, typed: '2' })
      assert.equal(again.location, made.location)
      await runJobs(async () => true, service.installation)
      assert.equal(await revokedIn(service, ada), 2)
      assert.match(textOf(await operator.open(made.location ?? '')), /2/)
      const fresh = await operator.get(`${path}?session=${ids[2]}`)
      const nothing = await operator.submit(fresh, path, { session: [], typed: '0' })
      assert.equal(nothing.status, 422)
      const refused = await operator.get(`${path}?${new URLSearchParams({ session: HOSTILE })}`)
      assert.equal(refused.status, 400)
      assertHarmless(refused)
    })
  })
})

describe('permissions for all tokens', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('Guarantee: an account-manager cannot revoke tokens of an account with more permissions, and sees no button for it', async () => {
      const operating = await addOperator(service)
      const ada = await addPerson(service)
      const theirs = await opened(service, operating, 'of the operator')
      const hers = await opened(service, ada, 'of ada')
      const manager = await consoleAs(service, 'account-manager')
      const list = await manager.get('/console/all-tokens?kind=developer')
      assert.ok(list.text.includes(`href="/console/all-tokens/${theirs.id}"`))
      assert.ok(!list.text.includes(`href="/console/all-tokens/${theirs.id}/revoke"`))
      assert.match((await manager.get(`/console/all-tokens/${hers.id}`)).text, /\/revoke"/)
      assert.ok(!list.text.includes(`value="${theirs.id}"`))
      assert.ok(list.text.includes(`value="${hers.id}"`))
      const page = await manager.get(`/console/all-tokens/${theirs.id}`)
      assert.doesNotMatch(page.text, /\/revoke"/)
      const path = `/console/all-tokens/${theirs.id}/revoke`
      const refused = await manager.get(path)
      assert.equal(refused.status, 403)
      assert.match(textOf(refused), /This account has the role operator/)
      const form = await manager.open(`/console/all-tokens/${hers.id}/revoke`)
      const body = { ...proofIn(form), typed: operating.username, seen: '*' }
      assert.equal((await manager.post(path, new URLSearchParams(body))).status, 403)
      const query = new URLSearchParams([theirs.id, hers.id].map((id): [string, string] => ['session', id]))
      const some = await manager.get(`/console/all-tokens/revoke?${query}`)
      assert.match(textOf(some), /1 token would be revoked. 1 would be refused/)
      assert.match(textOf(some), /This account has the role operator/)
      assert.equal(await whoami(service, theirs.token), 200)
    })
  })
})
