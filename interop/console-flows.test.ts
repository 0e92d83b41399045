// What people do in the console, in a real browser, with and without a script; and what must not go wrong on the way:
// forged forms, frames, pages that are out of date, the back button, two tabs, sessions and roles that end half-way
// (contract/administration.md, C16).

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launch, openWindow, picture, pictureForReadme, press } from './support/chromium.ts'
import { BRAND, inConsoleWorld, MODEL, OPERATOR, signIn } from './support/console-world.ts'

const REVOKE = 'Revoke it for good'
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
const said = async (page: Page) => (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')

/** Fills the form of a token that may see and upload one package. */
async function fillToken(page: Page, url: string, description: string): Promise<void> {
  await page.goto(`${url}/console/tokens/new`)
  await page.getByLabel('Description').fill(description)
  await page.getByLabel('See your packages').check()
  await page.getByLabel('With these packages').fill('hello-world')
  await page.getByLabel('In these channels').fill('edge')
}

const statusOf = async (url: string, token: string): Promise<number> =>
  (await fetch(`${url}/api/v2/tokens/whoami`, { headers: { authorization: `Macaroon ${token}` } })).status

inConsoleWorld((world) => {
  let browser: Browser
  before(async () => {
    browser = await launch()
  })
  after(() => browser?.close())

  /** A window that is signed in; what the tests expect to be refused is no problem of the page. */
  async function signedIn(username = OPERATOR, options = {}) {
    const window = await openWindow(browser, options)
    await signIn(window.page, world().service.url, username)
    return { ...window, url: world().service.url }
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with a script' : 'without a script'

    test(`a token is made, shown once, used and revoked, ${how}`, async () => {
      const permissions = javaScriptEnabled ? ['clipboard-read', 'clipboard-write'] : []
      const { page, context, url } = await signedIn(OPERATOR, { javaScriptEnabled, permissions })
      const name = `made ${how}`
      await fillToken(page, url, name)
      await press(page, 'Make the token')
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
      await page.getByRole('link', { name: 'I have kept it' }).click()
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('link', { name: 'End it earlier…' }).click()
      await page.getByLabel('It ends').selectOption('in 7 days')
      await press(page, 'Move its end')
      assert.match(await said(page), /in [67] days .*It ends \d+ [A-Z]/)
      assert.equal(await statusOf(url, token), 200)
      await page.getByRole('link', { name: 'Revoke…' }).click()
      await press(page, 'Revoke it')
      assert.match(await said(page), new RegExp(`“${name}” is revoked`))
      assert.equal(await statusOf(url, token), 401)
      await context.close()
    })

    test(`a device that waits is found, approved, and its session appears, ${how}`, async () => {
      const { page, context, url } = await signedIn(OPERATOR, { javaScriptEnabled })
      const state = javaScriptEnabled ? 'second' : 'third'
      await page.goto(`${url}/console/overview`)
      await page.getByRole('link', { name: /waits? for approval/ }).click()
      await page.locator('tbody a').first().click()
      const device = page.url()
      await press(page, 'Approve')
      assert.match(await said(page), /is approved/)
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

  test('a text is copied over plain HTTP too, where the browser gives a page no clipboard', async () => {
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

  test('all rows of a page are chosen by one box, which only a script shows', async () => {
    const { page, context, url } = await signedIn()
    await page.goto(`${url}/console/devices?status=active`)
    await page.getByLabel('Choose all on this page').check()
    assert.equal(await page.locator('tbody input[type=checkbox]:checked').count(), 100)
    await context.close()
    const without = await signedIn(OPERATOR, { javaScriptEnabled: false })
    await without.page.goto(`${url}/console/devices?status=active`)
    assert.equal(await without.page.getByLabel('Choose all on this page').isVisible(), false)
    await without.context.close()
  })

  test('security: a page of another site sends no form, and shows no page in a frame', async () => {
    const { page, context, url } = await signedIn()
    const hostile = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<form id="f" method="post" action="${url}/console/tokens/revoke-all">
<input name="typed" value="all"></form><iframe src="${url}/console/tokens"></iframe>
<button onclick="document.getElementById('f').submit()">Win</button>`)
    })
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
    // Another name of this machine is another site.
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

  test('a reload of the page with the secret shows it again, and makes no second token', async () => {
    const { page, context, url } = await signedIn()
    await fillToken(page, url, 'reloaded')
    await press(page, 'Make the token')
    const token = await page.locator('#once-raw').inputValue()
    page.on('dialog', (dialog) => dialog.accept())
    await page.reload()
    assert.equal(await page.locator('#once-raw').inputValue(), token)
    await page.goto(`${url}/console/tokens?q=reloaded`)
    assert.equal(await page.locator('tbody tr').count(), 1)
    await context.close()
  })

  test('of two tabs, the second decision is told what the first was', async () => {
    const { page, context, url } = await signedIn()
    const other = await context.newPage()
    await page.goto(`${url}/console/devices?q=AC-00000010`)
    await page.locator('tbody a').first().click()
    await page.getByRole('link', { name: 'Revoke…' }).click()
    await other.goto(page.url())
    for (const tab of [page, other]) await tab.getByLabel(/to go on/).fill('AC-00000010')
    await press(page, REVOKE)
    assert.match(await said(page), /revoked/)
    await press(other, REVOKE)
    assert.match(await said(other), /revoked|changed since/)
    await context.close()
  })

  test('a form of a session that has ended does nothing, and says how to go on', async () => {
    const { page, context, url } = await signedIn()
    await fillToken(page, url, 'too late')
    const other = await context.newPage()
    await other.goto(`${url}/console/me`)
    await press(other, 'Sign out')
    await press(page, 'Make the token')
    assert.match(await said(page), /Nothing was done/)
    // In another tab, as the page says.
    await other.goto(`${url}/console/sign-in`)
    if (await other.getByLabel('Password').count()) await signIn(other, url, OPERATOR)
    await press(page, 'Back to the form, with what I typed')
    assert.equal(await page.getByLabel('Description').inputValue(), 'too late')
    // Made for the earlier session: looked at once more, with all that was typed, and sent.
    assert.match(await said(page), /earlier sign-in/)
    await press(page, 'Make the token')
    assert.equal(await heading(page), 'too late')
    await context.close()
  })

  test('a role that is taken away half-way refuses the form, and takes the pages away', async () => {
    const { installation } = world()
    const { page, context, url } = await signedIn('vera')
    await installation.ratafia(['grants', 'add', 'vera', 'brand-manager', '--brand', BRAND])
    await press(page, 'Sign out')
    await signIn(page, url, 'vera')
    await page.goto(`${url}/console/models/${BRAND}/${MODEL}/policy`)
    await page.getByRole('radio', { name: /everybody/ }).check()
    await installation.ratafia(['grants', 'remove', 'vera', 'brand-manager', '--brand', BRAND])
    await press(page, 'Save the policy')
    assert.match(await said(page), /permission|role/)
    await page.goto(`${url}/console/models/${BRAND}/${MODEL}`)
    assert.equal(await page.getByRole('link', { name: 'Change the policy' }).count(), 0)
    await context.close()
  })

  test('the pictures of the README are of pages that are there', async () => {
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
