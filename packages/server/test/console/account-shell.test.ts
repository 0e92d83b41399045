/** The password and second factor pages are in the console's frame and link to it, even when they refuse. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { addUser, makeResetLink, PASSWORD } from '../support/accounts.ts'
import { textOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { Browser, type Page } from '../support/identity.ts'
import { giveRoles } from '../support/managers.ts'
import { withSecondFactor } from '../support/second-factor.ts'
import { testService } from '../support/service.ts'

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const at = (path: string) => `${service.baseUrl}${path}`

  async function person(...roles: readonly string[]): Promise<Account> {
    const account = await addUser(service.installation)
    await giveRoles(service, account, ...roles)
    return account
  }

  async function signedIn({ username }: Account): Promise<Browser> {
    const browser = new Browser()
    const asked = await browser.open(at('/identity/account'))
    await browser.submit(asked, 'login', { username, password: PASSWORD })
    return browser
  }

  function assertInConsole(page: Page, title: string, status = 200): void {
    assert.deepEqual([page.status, page.title], [status, title], textOf(page))
    assert.match(page.text, /<a href="\/console\/me" aria-current="page">Sign-in and agents<\/a>/)
    assert.match(page.text, /<p class="quiet"><a href="\/console\/me">Sign-in and agents<\/a> \/ <\/p>/)
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'sha256-/)
    // Such a form would sign out of the console.
    assert.doesNotMatch(page.text, /\/console\/sign-out/)
  }

  describe('the account pages of a signed-in user', () => {
    let ann: Account
    let browser: Browser
    before(async () => {
      ann = await person('operator')
      browser = await signedIn(ann)
    })
    const open = (page: string) => browser.open(at(`/identity/${page}`))

    test('the navigation shows what the user’s roles allow', async () => {
      const page = await open('account')
      assertInConsole(page, 'Your account')
      assert.match(page.text, /<a href="\/console\/audit">/)
      const other = await (await signedIn(await person())).open(at('/identity/account'))
      assertInConsole(other, 'Your account')
      assert.doesNotMatch(other.text, /<a href="\/console\/audit">/)
    })

    test('the password page is in the frame, with and without a mistake', async () => {
      const form = await open('change-password')
      assertInConsole(form, 'Change your password')
      const wrong = await browser.submit(form, 'change-password', { old: 'no', password: 'a', again: 'b' })
      assertInConsole(wrong, 'Change your password', 403)
      assert.match(wrong.text, /<title>Error: Change your password/)
      assert.match(textOf(wrong), /The two new passwords differ/)
      const password = 'another horse battery'
      const done = await browser.submit(wrong, 'change-password', {
        old: PASSWORD,
        password,
        again: password,
      })
      assertInConsole(done, 'Your account')
      assert.match(textOf(done), /Password changed/)
      await browser.submit(await open('change-password'), 'change-password', {
        ...{ old: password, password: PASSWORD, again: PASSWORD },
      })
    })

    test('each second factor page is in the frame, even after mistakes', async () => {
      const start = await open('enrol')
      assertInConsole(start, 'Set up a second factor')
      const refused = await browser.submit(start, 'enrol', { password: 'no' })
      assertInConsole(refused, 'Set up a second factor', 403)
      const code = await browser.submit(refused, 'enrol', { password: PASSWORD })
      assertInConsole(code, 'Set up a second factor')
      assert.match(code.text, /<svg class="qr"/)
      assertInConsole(
        await browser.submit(code, 'confirm-second-factor', { code: '000000' }),
        ...(['Set up a second factor', 403] as const),
      )
      const eve = await person()
      const authenticator = await withSecondFactor(service, eve)
      const eves = new Browser()
      const asked = await eves.open(at('/identity/account'))
      const second = await eves.submit(asked, 'login', { username: eve.username, password: PASSWORD })
      await eves.submit(second, 'second-factor', { code: authenticator() })
      const manage = await eves.open(at('/identity/manage-second-factor'))
      assertInConsole(manage, 'Your second factor')
      assertInConsole(
        await eves.submit(manage, 'manage-second-factor', { do: 'disable', proof: 'no' }),
        ...(['Your second factor', 403] as const),
      )
      const codes = await eves.submit(manage, 'manage-second-factor', { do: 'new-codes', proof: PASSWORD })
      assertInConsole(codes, 'Your recovery codes')
    })

    test('the page after too many mistakes is in the frame', async () => {
      const bob = await signedIn(await person())
      const form = await bob.open(at('/identity/enrol'))
      let page = form
      for (let attempt = 0; attempt < 30 && page.status !== 429; attempt++)
        page = await bob.submit(form, 'enrol', { password: 'no' })
      assertInConsole(page, 'Too many attempts', 429)
      assert.match(page.text, /<a href="account">Back to your account/)
    })
  })

  test('pages for signed-out users link to the console, even when they refuse', async () => {
    const ann = await person()
    const browser = new Browser()
    const toConsole = new RegExp(
      `<p class="quiet"><a href="${service.baseUrl}/console/">Go to the console</a></p>`,
    )
    const signIn = await browser.open(at('/identity/account'))
    const wrong = await browser.submit(signIn, 'login', { username: ann.username, password: 'no' })
    const { secret } = await makeResetLink({ account: ann.id, lifetimeMs: 3_600_000 }, service.installation)
    const reset = await browser.open(at(`/identity/reset?secret=${secret}`))
    const differ = await browser.submit(reset, 'reset', { password: PASSWORD, again: 'x' })
    const set = await browser.submit(reset, 'reset', { password: PASSWORD, again: PASSWORD })
    const over = await browser.open(at(`/identity/reset?secret=${secret}`))
    const linkOver = await browser.open(at('/identity/sign-in-link?secret=x'))
    const stale = await new Browser().post(at('/identity/change-password'), { csrf: 'x' })
    await withSecondFactor(service, ann)
    const code = await browser.submit(signIn, 'login', { username: ann.username, password: PASSWORD })
    const wrongCode = await browser.submit(code, 'second-factor', { code: '000000' })
    for (const page of [signIn, wrong, reset, differ, set, over, linkOver, stale, code, wrongCode])
      assert.match(page.text, toConsole, page.title)
  })
})

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_CONSOLE: 'off' })

  test('no page links to the console if there is none', async () => {
    const { username } = await addUser(service.installation)
    const browser = new Browser()
    const asked = await browser.open(`${service.baseUrl}/identity/account`)
    const page = await browser.submit(asked, 'login', { username, password: PASSWORD })
    assert.equal(page.title, 'Your account')
    for (const { text } of [asked, page]) assert.doesNotMatch(text, /\/console\//)
  })
})

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_MANAGEMENT_FROM: '192.0.2.0/24' })

  test('Guarantee: these pages do not mention the console to networks that it is hidden from', async () => {
    const account = await addUser(service.installation)
    const browser = new Browser()
    const at = (path: string) => `${service.baseUrl}/identity/${path}`
    const pages = [
      await browser.open(at('account')),
      await browser.open(at('login?did=none')),
      await browser.open(at('reset?secret=none')),
      await browser.open(at('sign-in-link?secret=none')),
    ]
    const [signIn = assert.fail()] = pages
    pages.push(await browser.submit(signIn, 'login', { username: account.username, password: 'wrong' }))
    const again = await browser.open(at('account'))
    pages.push(await browser.submit(again, 'login', { username: account.username, password: PASSWORD }))
    for (const path of ['account', 'change-password', 'enrol', 'none'])
      pages.push(await browser.open(at(path)))
    for (const page of pages) assert.doesNotMatch(page.text, /\/console/, page.title)
    assert.equal(pages.at(-4)?.title, 'Your account')
  })
})
