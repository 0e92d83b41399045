// Tasks in the console in a real browser, with and without a script, and the cases that must not go wrong: forged
// forms, frames, outdated pages, the back button, two tabs, and sessions and roles that are lost halfway
// (contract/administration.md, C16).

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launch, openWindow, picture, pictureForReadme, press } from './support/chromium.ts'
import { BRAND, inConsoleWorld, MODEL, OPERATOR, signIn } from './support/console-world.ts'

const REVOKE = 'Revoke device'
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
const said = async (page: Page) => (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')

/** Fills in the form of a token that can view one package. */
async function fillToken(page: Page, url: string, description: string): Promise<void> {
  await page.goto(`${url}/console/tokens/new`)
  await page.getByLabel('Description').fill(description)
  await page.getByLabel('View your packages').check()
  await page.getByLabel('Packages', { exact: true }).fill('hello-world')
  await page.getByLabel('Channels', { exact: true }).fill('edge')
}

const statusOf = async (url: string, token: string): Promise<number> =>
  (await fetch(`${url}/api/v2/tokens/whoami`, { headers: { authorization: `Macaroon ${token}` } })).status

inConsoleWorld((world) => {
  let browser: Browser
  before(async () => {
    browser = await launch()
  })
  after(() => browser?.close())

  /** Opens a signed-in window. Its problems do not matter, because the tests expect refusals. */
  async function signedIn(username = OPERATOR, options = {}) {
    const window = await openWindow(browser, options)
    await signIn(window.page, world().service.url, username)
    return { ...window, url: world().service.url }
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with a script' : 'without a script'

    test(`a user creates a token, sees it once, uses it and revokes it, ${how}`, async () => {
      const permissions = javaScriptEnabled ? ['clipboard-read', 'clipboard-write'] : []
      const { page, context, url } = await signedIn(OPERATOR, { javaScriptEnabled, permissions })
      const name = `made ${how}`
      await fillToken(page, url, name)
      await press(page, 'Create token')
      assert.equal(await heading(page), name)
      const token = await page.locator('#once-raw').inputValue()
      assert.equal(await statusOf(url, token), 200)
      const copy = page.locator('[data-copy="once-raw"]')
      assert.equal(await copy.isVisible(), javaScriptEnabled)
      if (javaScriptEnabled) {
        await copy.click()
        assert.equal(await page.evaluate('navigator.clipboard.readText()'), token)
        assert.equal(await copy.innerText(), 'Copied')
        await picture(page, 'console-flow-token')
      }
      await page.getByRole('link', { name: "I've saved it" }).click()
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('link', { name: 'Shorten expiry…' }).click()
      await page.getByLabel('Expires').selectOption('in 7 days')
      await press(page, 'Shorten')
      assert.match(await said(page), /in [67] days .*Expiry shortened to \d+ [A-Z]/)
      assert.equal(await statusOf(url, token), 200)
      await page.getByRole('link', { name: 'Revoke token…' }).click()
      await press(page, 'Revoke token')
      assert.match(await said(page), new RegExp(`“${name}” revoked`))
      assert.equal(await statusOf(url, token), 401)
      await context.close()
    })

    test(`a user finds and approves a pending device, and its session appears, ${how}`, async () => {
      const { page, context, url } = await signedIn(OPERATOR, { javaScriptEnabled })
      const state = javaScriptEnabled ? 'second' : 'third'
      await page.goto(`${url}/console/overview`)
      await page.getByRole('link', { name: /pending approval/ }).click()
      await page.locator('tbody a').first().click()
      const device = page.url()
      await press(page, 'Approve device')
      assert.match(await said(page), /approved/)
      const outcomes = [
        await world().device(state),
        await world().device(javaScriptEnabled ? 'third' : 'second'),
      ]
      assert.ok(
        outcomes.some((text) => /^Registered: /m.test(text)),
        outcomes.join('\n'),
      )
      await page.goto(device)
      assert.match(await said(page), /active/)
      await picture(page, `console-flow-device-${javaScriptEnabled}`)
      await context.close()
    })
  }

  test("copying text also works over plain HTTP, where pages cannot use the browser's clipboard", async () => {
    const { page, context } = await openWindow(browser)
    const shown =
      '<pre id="text">one two</pre><button hidden data-copy="text" data-copied="Copied">Copy</button>'
    const any = await (await fetch(`${world().service.url}/console/signed-in`)).text()
    const [script = assert.fail('no script')] = /<script>.*<\/script>/s.exec(any) ?? []
    await page.setContent(`${shown}<textarea></textarea>${script}`)
    assert.equal(await page.evaluate('navigator.clipboard'), undefined)
    const copy = page.getByRole('button')
    await copy.click()
    await copy.click()
    assert.equal(await copy.innerText(), 'Copied')
    await page.getByRole('textbox').press('ControlOrMeta+V')
    assert.equal(await page.getByRole('textbox').inputValue(), 'one two')
    await page.waitForFunction('document.querySelector("button").textContent === "Copy"')
    await context.close()
  })

  test('one checkbox, which only a script shows, selects all rows of a page', async () => {
    const { page, context, url } = await signedIn()
    await page.goto(`${url}/console/devices?status=active`)
    await page.getByLabel('Select all on this page').check()
    assert.equal(await page.locator('tbody input[type=checkbox]:checked').count(), 100)
    await context.close()
    const without = await signedIn(OPERATOR, { javaScriptEnabled: false })
    await without.page.goto(`${url}/console/devices?status=active`)
    assert.equal(await without.page.getByLabel('Select all on this page').isVisible(), false)
    await without.context.close()
  })

  test('security: another site can neither send a form nor frame a page', async () => {
    const { page, context, url } = await signedIn()
    const hostile = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<form id="f" method="post" action="${url}/console/tokens/revoke-all">
<input name="typed" value="all"></form><iframe src="${url}/console/tokens"></iframe>
<button onclick="document.getElementById('f').submit()">Win</button>`)
    })
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
    // A different name for this machine is a different site.
    const { port } = hostile.address() as AddressInfo
    await page.goto(`http://localhost:${port}/`)
    const frame = page.frames().find((one) => one !== page.mainFrame())
    assert.doesNotMatch((await frame?.content().catch(() => '')) ?? '', /My tokens/)
    await page.getByRole('button', { name: 'Win' }).click()
    assert.match(await said(page), /another site|not signed in/i)
    await page.goto(`${url}/console/tokens`)
    assert.equal(await heading(page), 'My tokens')
    hostile.close()
    await context.close()
  })

  test('reloading the page with the secret shows it again and creates no second token', async () => {
    const { page, context, url } = await signedIn()
    await fillToken(page, url, 'reloaded')
    await press(page, 'Create token')
    const token = await page.locator('#once-raw').inputValue()
    page.on('dialog', (dialog) => dialog.accept())
    await page.reload()
    assert.equal(await page.locator('#once-raw').inputValue(), token)
    await page.goto(`${url}/console/tokens?q=reloaded`)
    assert.equal(await page.locator('tbody tr').count(), 1)
    await context.close()
  })

  test('the second of two tabs shows the decision of the first', async () => {
    const { page, context, url } = await signedIn()
    const other = await context.newPage()
    await page.goto(`${url}/console/devices?q=AC-00000010`)
    await page.locator('tbody a').first().click()
    await page.getByRole('link', { name: 'Revoke device…' }).click()
    await other.goto(page.url())
    for (const tab of [page, other]) await tab.getByLabel(/to confirm/).fill('AC-00000010')
    await press(page, REVOKE)
    assert.match(await said(page), /revoked/)
    await press(other, REVOKE)
    assert.match(await said(other), /revoked|changed since/)
    await context.close()
  })

  test('a form from a revoked session has no effect, and the answer explains how to continue', async () => {
    const { page, context, url } = await signedIn()
    await fillToken(page, url, 'too late')
    const other = await context.newPage()
    await other.goto(`${url}/console/me`)
    await press(other, 'Sign out')
    await press(page, 'Create token')
    assert.match(await said(page), /Nothing was changed/)
    // The user signs in in another tab, as the page suggests.
    await other.goto(`${url}/console/sign-in`)
    if (await other.getByLabel('Password').count()) await signIn(other, url, OPERATOR)
    await press(page, 'Back to the form, with what I typed')
    assert.equal(await page.getByLabel('Description').inputValue(), 'too late')
    // The form belongs to the earlier session, so it is shown again with all fields, and then sent.
    assert.match(await said(page), /earlier sign-in/)
    await press(page, 'Create token')
    assert.equal(await heading(page), 'too late')
    await context.close()
  })

  test('after losing a role halfway, the form is refused and the pages are gone', async () => {
    const { installation } = world()
    const { page, context, url } = await signedIn('vera')
    await installation.ratafia(['grants', 'add', 'vera', 'brand-manager', '--brand', BRAND])
    await press(page, 'Sign out')
    await signIn(page, url, 'vera')
    await page.goto(`${url}/console/models/${BRAND}/${MODEL}/policy`)
    await page.getByRole('radio', { name: /Automatic/ }).check()
    await installation.ratafia(['grants', 'remove', 'vera', 'brand-manager', '--brand', BRAND])
    await press(page, 'Save policy')
    assert.match(await said(page), /permission|role/)
    await page.goto(`${url}/console/models/${BRAND}/${MODEL}`)
    assert.equal(await page.getByRole('link', { name: 'Change policy…' }).count(), 0)
    await context.close()
  })

  test("the README's pictures show existing pages", async () => {
    const { page, problems, context, url } = await signedIn(OPERATOR, {
      viewport: { width: 960, height: 640 },
    })
    await page.goto(`${url}/console/devices`)
    await pictureForReadme(page, 'devices')
    await page.goto(
      `${url}/console/tokens/new?description=ci:+hello-world+edge&permissions=package_access&permissions=package_upload&permissions=package_release&packages=hello-world&channels=edge&life=90`,
    )
    await pictureForReadme(page, 'new-token')
    assert.deepEqual(problems, [])
    await context.close()
  })
})
