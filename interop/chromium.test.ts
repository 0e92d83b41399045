// A user at a real browser: the content of the pages, with and without scripts, and with the keyboard alone.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TOTP, URI } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { launch, openWindow, picture } from './support/chromium.ts'
import { type Answer, type Driver, pythonBakery } from './support/driver.ts'
import { ADA, addAccount, onEachDatabase, type World } from './support/world.ts'

const WANTED = {
  permissions: ['package_access', 'package_upload', 'package_release'],
  channels: ['latest/edge'],
  packages: [{ name: 'hello-world' }],
  description: 'laptop <b>of</b> Ada',
}

/** A login waiting for its user. */
interface Login {
  readonly visit: string
  /** The client's final output. */
  answer(): Promise<Answer>
}

onEachDatabase((world, kind) => {
  let browser: Browser
  const clients: Driver[] = []

  before(async () => {
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await Promise.all(clients.map((client) => client.close()))
  })

  async function startLogin({ service }: World = world()): Promise<Login> {
    const client = pythonBakery()
    clients.push(client)
    const { visit } = await client.ask({ do: 'login', tell: true, service: service.url, body: WANTED })
    assert.ok(visit)
    return { visit, answer: () => client.next() }
  }

  async function signIn(page: Page, password: string = ADA.password): Promise<void> {
    await page.getByLabel('Username').fill(ADA.username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  const decide = (page: Page, name: 'Approve' | 'Reject') =>
    page.getByRole('button', { name: `${name} login` }).click()
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()

  test('a user mistypes the password, signs in, sees the request, and approves it', async () => {
    const { page, problems, context } = await openWindow(browser)
    const login = await startLogin()
    await page.goto(login.visit)
    await picture(page, `${kind}-1-sign-in`)
    await signIn(page, 'not the password')
    assert.match(await page.getByRole('alert').innerText(), /username, e-mail address or password is wrong/)
    assert.equal(await page.getByLabel('Username').inputValue(), ADA.username)
    assert.equal(await page.getByLabel('Password').inputValue(), '')
    await picture(page, `${kind}-2-wrong-password`)

    await signIn(page)
    assert.equal(await heading(page), 'Approve this login?')
    await picture(page, `${kind}-3-approve`)
    const shown = await page.locator('main').innerText()
    for (const part of [
      ...['ada', 'Ada L.', '127.0.0.1', 'python-requests', world().service.url],
      ...WANTED.permissions,
      ...['latest/edge', 'hello-world', WANTED.description],
    ]) {
      assert.ok(shown.includes(part), `the page shows ${part}: ${shown}`)
    }
    await decide(page, 'Approve')
    assert.equal(await heading(page), 'Login approved')
    await picture(page, `${kind}-4-logged-in`)
    assert.ok((await login.answer()).token)
    assert.deepEqual(problems, [])
    await context.close()
  })

  test('the second login in a browser asks only for the approval, not for the password', async () => {
    const { page, problems, context } = await openWindow(browser)
    const first = await startLogin()
    await page.goto(first.visit)
    await signIn(page)
    await decide(page, 'Approve')
    assert.ok((await first.answer()).token)

    const second = await startLogin()
    await page.goto(second.visit)
    assert.equal(await heading(page), 'Approve this login?')
    assert.equal(await page.getByLabel('Password').count(), 0)
    await decide(page, 'Reject')
    assert.equal(await heading(page), 'Login rejected')
    await picture(page, `${kind}-5-refused`)
    assert.equal((await second.answer()).error, 'InteractionError')

    // A decision is final, so the page of a used login only shows it.
    await page.goto(first.visit)
    assert.equal(await heading(page), 'Login approved')
    await page.goto(second.visit)
    assert.equal(await heading(page), 'Login rejected')
    assert.deepEqual(problems, [])
    await context.close()
  })

  test('a user who signs out, or has a new password, has to enter it again', async () => {
    const { installation } = world()
    const eve = {
      username: `eve-${kind}`,
      password: 'the first password',
      email: 'eve@example.com',
      name: 'Eve',
    }
    await addAccount(installation, eve, eve.password)
    const { page, context } = await openWindow(browser)
    const login = await startLogin()
    const enter = async (password: string) => {
      await page.getByLabel('Username').fill(eve.username)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      assert.equal(await heading(page), 'Approve this login?')
    }
    await page.goto(login.visit)
    await enter(eve.password)
    await page.getByRole('button', { name: /sign out/i }).click()
    assert.equal(await heading(page), 'Sign in')
    await enter(eve.password)
    const changed = 'the second password'
    await installation.ratafia(['accounts', 'set-password', eve.username, '--password-stdin'], `${changed}\n`)
    await page.reload()
    assert.equal(await heading(page), 'Sign in')
    await enter(changed)
    await decide(page, 'Approve')
    // The login began before the password was changed, so someone who knew the old one may have begun it.
    assert.match((await login.answer()).message ?? '', /Logins of "eve-\w+" from before /)
    const next = await startLogin()
    await page.goto(next.visit)
    await decide(page, 'Approve')
    assert.ok((await next.answer()).token)
    await context.close()
  })

  test('everything works with JavaScript disabled', async () => {
    const { page, problems, context } = await openWindow(browser, { javaScriptEnabled: false })
    const login = await startLogin()
    await page.goto(login.visit)
    await signIn(page)
    await decide(page, 'Approve')
    assert.equal(await heading(page), 'Login approved')
    assert.ok((await login.answer()).token)
    assert.deepEqual(problems, [])
    await context.close()
  })

  test('everything works with the keyboard alone, and Enter does not approve accidentally', async () => {
    const { page, context } = await openWindow(browser)
    const focused = () =>
      page.evaluate('document.activeElement?.textContent?.trim() || document.activeElement?.id')
    const tabTo = async (wanted: string) => {
      for (let presses = 0; presses < 10; presses++) {
        await page.keyboard.press('Tab')
        if ((await focused()) === wanted) return
      }
      assert.fail(`Tab does not reach ${wanted}`)
    }
    const login = await startLogin()
    await page.goto(login.visit)
    await tabTo('username')
    await page.keyboard.type(ADA.username)
    await tabTo('password')
    await page.keyboard.type(ADA.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Approve this login?' }).waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await heading(page), 'Approve this login?')
    await tabTo('Approve login')
    await picture(page, `${kind}-6-keyboard`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Login approved' }).waitFor()
    assert.ok((await login.answer()).token)
    await context.close()
  })

  test('a user sets up a second factor without JavaScript, and signs in with a code, then with a recovery code', async () => {
    const { service, installation } = world()
    const fay = {
      username: `fay-${kind}`,
      password: 'the only password',
      email: 'fay@example.com',
      name: 'Fay',
    }
    await addAccount(installation, fay, fay.password)
    const { page, problems, context } = await openWindow(browser, { javaScriptEnabled: false })
    const login = await startLogin()
    await page.goto(`${service.url}/identity/account`)
    const enter = async () => {
      await page.getByLabel('Username').fill(fay.email.toUpperCase())
      await page.getByLabel('Password').fill(fay.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await enter()
    assert.equal(await heading(page), 'Your account')
    await page.getByRole('link', { name: 'Set up a second factor' }).click()
    await page.getByLabel('Current password').fill(fay.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    const { width = 0, height = 0 } = (await page.getByRole('img', { name: /QR code/ }).boundingBox()) ?? {}
    assert.ok(width > 100 && width === height, `the QR code is ${width} by ${height}`)
    await picture(page, `${kind}-9-second-factor`)
    const uri = await page.getByRole('link', { name: 'open it on this device' }).getAttribute('href')
    const totp = URI.parse(uri ?? '')
    assert.ok(totp instanceof TOTP)
    assert.equal(totp.label, fay.username)
    await page.getByLabel('Current code').fill(totp.generate())
    await page.getByRole('button', { name: 'Enable second factor' }).click()
    assert.equal(await heading(page), 'Your recovery codes')
    const codes = await page.getByRole('main').getByRole('listitem').allInnerTexts()
    assert.equal(codes.length, 10)
    await picture(page, `${kind}-10-recovery-codes`)
    await page.getByRole('link', { name: /back to your account/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    assert.equal(await heading(page), 'Sign in')

    await page.goto(login.visit)
    await enter()
    assert.equal(await heading(page), 'Enter a code')
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.match(await page.getByRole('alert').innerText(), /^The code is wrong/)
    await picture(page, `${kind}-11-wrong-code`)
    // The step that confirmed the secret is used, so this code is of the next one.
    await page.getByLabel('Code').fill(totp.generate({ timestamp: Date.now() + 30_000 }))
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.equal(await heading(page), 'Approve this login?')
    await page.getByRole('button', { name: /sign out/i }).click()
    await enter()
    await page.getByLabel('Code').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await decide(page, 'Approve')
    assert.ok((await login.answer()).token)
    assert.deepEqual(problems, [])
    await context.close()
  })

  test("a user changes the password, and sets another one through the operator's link", async () => {
    const { service, installation } = world()
    const gil = {
      username: `gil-${kind}`,
      password: 'the first password',
      email: 'gil@example.com',
      name: 'Gil',
    }
    await addAccount(installation, gil, gil.password)
    const { page, problems, context } = await openWindow(browser, { viewport: { width: 320, height: 640 } })
    await page.goto(`${service.url}/identity/account`)
    const enter = async (password: string) => {
      await page.getByLabel('Username').fill(gil.username)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await enter(gil.password)
    await page.getByRole('link', { name: 'Change your password' }).click()
    await page.getByLabel('Current password').fill(gil.password)
    await page.getByLabel('New password', { exact: true }).fill('the second password')
    await page.getByLabel('Repeat new password').fill('the second password')
    await picture(page, `${kind}-12-change-password`)
    await page.getByRole('button', { name: 'Change password' }).click()
    assert.match(await page.getByRole('status').innerText(), /^Password changed\./)
    const location = ['--url', `${service.url}/identity`]
    const link = await installation.ratafia(['accounts', 'reset-link', gil.username, ...location])
    await page.goto(link.trim())
    await page.getByLabel('New password', { exact: true }).fill('the third password')
    await page.getByLabel('Repeat new password').fill('the third password')
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= 320, `the page is ${width} pixels wide`)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await enter('the third password')
    assert.equal(await heading(page), 'Your account')
    assert.deepEqual(problems, [])
    await context.close()
  })

  test('the page fits on a phone with dark colours', async () => {
    const { page, context } = await openWindow(browser, {
      viewport: { width: 320, height: 640 },
      colorScheme: 'dark',
    })
    const login = await startLogin()
    await page.goto(login.visit)
    await picture(page, `${kind}-7-phone-sign-in`)
    await signIn(page)
    assert.equal(await heading(page), 'Approve this login?')
    await picture(page, `${kind}-8-phone-approve`)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= 320, `the page is ${width} pixels wide`)
    await decide(page, 'Reject')
    assert.equal((await login.answer()).error, 'InteractionError')
    await context.close()
  })

  test('another site can neither approve nor frame the page', async () => {
    const { page, context } = await openWindow(browser)
    const login = await startLogin()
    await page.goto(login.visit)
    await signIn(page)
    // The same machine under a different name is a different site. Its forms are sent without cookies, and
    // its frames stay empty.
    const elsewhere = login.visit.replace('127.0.0.1', 'localhost')
    const fields = await page
      .locator('form[action="confirm"] input')
      .evaluateAll((inputs) =>
        inputs.map((input) => [input.getAttribute('name'), input.getAttribute('value')]),
      )
    const target = new URL('confirm', login.visit).href
    const attack = await context.newPage()
    await attack.route(`${new URL(elsewhere).origin}/attack`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${target}">${fields
          .map(([name, value]) => `<input name="${name}" value="${value}">`)
          .join('')}<button name="decision" value="approve">Win a prize</button></form>
          <iframe src="${login.visit}"></iframe>`,
      }),
    )
    await attack.goto(`${new URL(elsewhere).origin}/attack`)
    assert.ok(attack.frames().every((frame) => frame.url() !== login.visit))
    await attack.getByRole('button').click()
    await attack.getByRole('alert').waitFor()

    await page.reload()
    assert.equal(await heading(page), 'Approve this login?')
    await decide(page, 'Approve')
    assert.ok((await login.answer()).token)
    await context.close()
  })
})
