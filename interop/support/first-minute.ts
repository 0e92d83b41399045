/** The steps of a new user in a browser, from a setup link to a first token. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { press } from './chromium.ts'

/** Follows a setup link, and becomes the first operator, `ada`. */
export async function becomeOperator(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Username').fill('ada')
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill('a long enough password')
  await page.getByLabel('Repeat password').fill('a long enough password')
  await press(page, 'Create operator')
  await page.waitForURL('**/console/overview')
  assert.match(await page.locator('body').innerText(), /ada/)
}

/** Creates a token with the console at `origin`, and returns its macaroon. */
export async function createToken(page: Page, origin: string): Promise<string> {
  await page.goto(`${origin}/console/tokens/new`)
  await page.getByLabel('Description').fill('my first token')
  await page.getByLabel('View your packages').check()
  await page.getByLabel('Packages', { exact: true }).fill('hello-world')
  await page.getByLabel('Channels', { exact: true }).fill('edge')
  await press(page, 'Create token')
  return page.locator('#once-raw').inputValue()
}
