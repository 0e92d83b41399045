// The front page in a real browser: the page at the URL of a service, on a phone and on a desktop.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launch, openWindow, picture } from './support/chromium.ts'
import { onOneDatabase } from './support/world.ts'

onOneDatabase((world) => {
  let browser: Browser
  before(async () => {
    browser = await launch()
  })
  after(() => browser?.close())

  for (const [width, colorScheme] of [
    [320, 'dark'],
    [1280, 'light'],
  ] as const) {
    test(`the front page fits into ${width} pixels, and its commands are whole lines`, async () => {
      const { page, problems, context } = await openWindow(browser, {
        viewport: { width, height: 640 },
        colorScheme,
      })
      const { url } = world().service
      await page.goto(url)
      await picture(page, `front-page-${width}`)
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), new URL(url).host)
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      assert.ok(Number(wide) <= width, `the page is ${wide} pixels wide`)
      // A long line wraps on the screen, but not in the copied text.
      const commands = await page.locator('pre').allInnerTexts()
      const line = `export SNAPCRAFT_STORE_CREDENTIALS="$(ratafia tokens create --for snapcraft --all --url ${url})"`
      assert.ok(
        commands.some((text) => text.split('\n').includes(line)),
        commands.join('\n'),
      )
      assert.deepEqual(problems, [])
      await context.close()
    })
  }
})
