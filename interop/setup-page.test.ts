// The setup link in a real browser: axe finds no problem on its page, and its form leads into the console.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { FORCED, findings, overflow, SHOWINGS, show } from './support/axe.ts'
import { launch, openWindow, picture } from './support/chromium.ts'
import { type Installation, newInstallation } from './support/installation.ts'
import { type Service, startService } from './support/service.ts'

const PASSWORD = 'correct horse battery'

let browser: Browser
let installation: Installation
let service: Service
before(async () => {
  browser = await launch()
  installation = await newInstallation('sqlite')
  service = await startService(installation)
})
after(async () => {
  await browser?.close()
  await service?.stop()
  await installation?.remove()
})

const newLink = async (): Promise<string> => (await installation.ratafia(['setup-link'])).trim()

test('axe finds no problem on the page, with and without mistakes, and it fits into every window', async () => {
  const { page, problems, context } = await openWindow(browser)
  await page.goto(await newLink())
  const look = async (state: string) => {
    for (const showing of [...SHOWINGS, ...FORCED]) {
      await show(page, showing)
      assert.deepEqual(await findings(page), [], `${state}, ${JSON.stringify(showing)}`)
      assert.equal(await overflow(page), 0, `${state}, ${JSON.stringify(showing)}`)
    }
    await picture(page, `setup-${state}`)
  }
  await look('empty')
  await page.getByLabel('Username').fill('Ada')
  await page.getByLabel('Name', { exact: true }).fill('Ada')
  await page.getByLabel('E-mail address').fill('nowhere')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Repeat password').fill('short')
  await page.getByRole('button', { name: 'Create operator' }).click()
  assert.match(await page.getByRole('alert').innerText(), /A username has 2 to 28 characters/)
  await look('mistakes')
  assert.equal(problems.length, 1, problems.join('\n'))
  assert.match(problems[0] ?? '', /status of 422/)
  await context.close()
})

test('without scripts, the form creates the operator and leads into the console', async () => {
  const { page, problems, context } = await openWindow(browser, { javaScriptEnabled: false })
  const link = await newLink()
  await page.goto(link)
  await page.getByLabel('Username').fill('ada')
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
  await page.getByLabel('E-mail address').fill('ada@example.com')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create operator' }).click()
  assert.equal(new URL(page.url()).pathname, '/console/overview')
  assert.match(await page.locator('main').innerText(), /ada set up this installation/)
  assert.deepEqual(problems, [])
  await page.goto(link)
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'This link does not work')
  assert.match(await page.getByRole('alert').innerText(), /already set up/)
  await context.close()
})
