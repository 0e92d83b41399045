/** A sensitive form long after the sign-in: it explains why it asks again, in every kind of sign-in, and then opens. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { CONFIRMED, type Confirmed } from '../../src/web/words/en/sign-in.ts'
import { addUser, PASSWORD } from '../support/accounts.ts'
import { textOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { Browser, type Page } from '../support/identity.ts'
import { addManager, giveRoles } from '../support/managers.ts'
import { withSecondFactor } from '../support/second-factor.ts'
import { addPerson, testService } from '../support/service.ts'

const TITLE = 'Confirm that it’s you'
const LONG_MS = 20 * 60_000

/** Operations require a recent sign-in for some records or fields only. Tests are below, or with the operation. */
const SOMETIMES: readonly (keyof typeof CONFIRMED)[] = [
  '/accounts/:id/edit',
  '/accounts/:id/disable',
  '/accounts/:id/enable',
  '/accounts/:id/agents/:name/remove',
  '/devices/bulk',
]

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const at = (path: string) => `${service.baseUrl}${path}`

  async function person(): Promise<Account> {
    const account = await addUser(service.installation)
    await giveRoles(service, account, 'operator')
    return account
  }

  const typed = (browser: Browser, page: Page, { username }: Account, password = PASSWORD) =>
    browser.submit(page, 'login', { username, password })

  /** Returns a browser whose user signed in a while ago. */
  async function idle(account: Account): Promise<Browser> {
    const browser = new Browser()
    await typed(browser, await browser.open(at('/console/sign-in?to=/console/tokens')), account)
    service.advance(LONG_MS)
    return browser
  }

  function assertSays(page: Page, { doing, page: next, minutes = 15 }: Confirmed, status = 200): void {
    assert.deepEqual([page.status, page.title], [status, TITLE])
    const reason = `${doing} requires that you signed in within the last ${minutes} minutes.`
    assert.ok(textOf(page).includes(reason), textOf(page))
    assert.ok(textOf(page).includes(`After this you continue with ${next} .`), textOf(page))
  }

  describe('a form that always requires a recent sign-in explains why, and opens afterwards', () => {
    let ada: Account
    before(async () => {
      ada = await person()
    })
    for (const [form, confirmed] of Object.entries(CONFIRMED)) {
      if (SOMETIMES.some((one) => one === form)) continue
      test(form, async () => {
        const browser = await idle(ada)
        const path = `/console${form.replaceAll(/:\w+/g, 'x')}`
        const asked = await browser.open(at(path))
        assertSays(asked, confirmed)
        assert.match(asked.text, new RegExp(`name="username" value="${ada.username}"`))
        const wrong = await typed(browser, asked, ada, 'wrong')
        assertSays(wrong, confirmed, 403)
        assert.equal((await typed(browser, wrong, ada)).url, at(path))
      })
    }
  })

  test('a form for an account with a role also explains why; without one, it opens at once', async () => {
    const browser = await idle(await person())
    const { username: developer } = await addPerson(service)
    assert.equal(
      (await browser.open(at(`/console/accounts/${developer}/disable`))).title,
      `Disable ${developer}?`,
    )
    const { username } = await addManager(service, 'viewer')
    for (const verb of ['edit', 'disable'] as const) {
      const path = `/console/accounts/${username}/${verb}`
      assertSays(await browser.open(at(path)), CONFIRMED[`/accounts/:id/${verb}`])
    }
  })

  test('the second factor page shows the same reason, even after a wrong code', async () => {
    const account = await person()
    const authenticator = await withSecondFactor(service, account)
    const browser = new Browser()
    const first = await typed(browser, await browser.open(at('/console/sign-in?to=/console/tokens')), account)
    await browser.submit(first, 'second-factor', { code: authenticator() })
    service.advance(LONG_MS)
    const asked = await browser.open(at('/console/tokens/new'))
    const code = await typed(browser, asked, account)
    assertSays(code, CONFIRMED['/tokens/new'])
    const wrong = await browser.submit(code, 'second-factor', { code: '000000' })
    assertSays(wrong, CONFIRMED['/tokens/new'], 403)
    const form = await browser.submit(wrong, 'second-factor', { code: authenticator() })
    assert.deepEqual([form.url, form.title], [at('/console/tokens/new'), 'New token'])
  })

  test('keeps the fields of a form that was sent too late, and the page mentions it with the reason', async () => {
    const account = await person()
    const browser = new Browser()
    const signIn = await browser.open(at('/console/sign-in?to=/console/tokens/new'))
    const form = await typed(browser, signIn, account)
    service.advance(LONG_MS)
    const all = { all_permissions: 'on', all_packages: 'on', all_channels: 'on' }
    const fields = { description: 'kept for me', life: '30', ...all }
    const late = await browser.submit(form, '/console/tokens/new', fields)
    assertSays(late, CONFIRMED['/tokens/new'])
    assert.match(late.text, /What you entered is kept for half an hour/)
    const [, on = ''] = /class="button primary" href="([^"]*)"/.exec(late.text) ?? []
    const asked = await browser.open(at(on.replaceAll('&amp;', '&')))
    assertSays(asked, CONFIRMED['/tokens/new'])
    assert.match((await typed(browser, asked, account)).text, /<dd>kept for me<\/dd>/)
  })

  test('a plain sign-in page does not show a reason to confirm', async () => {
    const account = await person()
    const plain = await new Browser().open(at('/console/sign-in?to=/console/tokens/new'))
    assert.equal(plain.title, 'Sign in')
    assert.doesNotMatch(plain.text, /requires that you signed in/)
    const browser = await idle(account)
    // This stands for another console page, perhaps of a later release.
    const other = await browser.open(at('/console/sign-in?recent=1&to=/console/tokens'))
    assert.equal(other.title, TITLE)
    assert.match(textOf(other), /This action requires that you signed in a short while ago\./)
  })
})
