// Follows the links of the console in a real browser, and checks every page: axe finds no problem in light,
// dark and forced colours at 320 and 1280 pixels, no page is wider than the window, foreign text is escaped,
// and everything works without a script (contract/administration.md, C12 and C16).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { FORCED, findings, overflow, SHOWINGS, type Showing, show } from './support/axe.ts'
import { launch, openWindow, picture, press } from './support/chromium.ts'
import { BRAND, DEVELOPER, inConsoleWorld, MODEL, OPERATOR, signIn, VIEWER } from './support/console-world.ts'

/** The pages that an operator must be able to find by links. */
const PAGES = [
  ...[
    '/console/tokens',
    '/console/tokens/new',
    '/console/tokens/explain',
    '/console/tokens/ID',
    '/console/tokens/ID/revoke',
    '/console/tokens/ID/shorten',
  ],
  ...['/console/tokens/revoke-all', '/console/me', '/console/me/agents/new', '/console/me/browsers/end'],
  ...[
    '/console/overview',
    '/console/devices',
    '/console/devices/ID',
    '/console/devices/import',
    '/console/clones',
  ],
  ...['/console/brands', `/console/brands/ID`, '/console/models/ID/ID', '/console/models/new'],
  ...[
    '/console/accounts',
    '/console/accounts/new',
    '/console/accounts/ID',
    '/console/grants',
    '/console/all-tokens',
  ],
  ...['/console/audit', '/console/jobs', '/console/jobs/ID', '/console/status', '/console/publishers'],
]

const NAMES: ReadonlySet<string> = new Set([BRAND, MODEL, OPERATOR, VIEWER, DEVELOPER, 'hugo', 'acme-root'])

/** Returns the same text for all records of a kind: ids and names become `ID`, and a query keeps only its names. */
function kindOf(address: string): string {
  const url = new URL(address)
  const parts = url.pathname.split('/').map((part) => (isName(decodeURIComponent(part)) ? 'ID' : part))
  const names = [...new Set(url.searchParams.keys())].sort().join('&')
  return parts.join('/') + (names === '' ? '' : `?${names}`)
}

const isName = (part: string): boolean =>
  NAMES.has(part) || /\d/.test(part) || /^[A-Za-z0-9_-]{20,}$/.test(part) || part.includes(':')

/** Excludes exports, which are files, and pages that sign in again, which have their own test. */
const isPage = (address: string): boolean =>
  /\/console\//.test(address) && !/\/(export|stream)\b|\/console\/(sign-in|tools|go-on)/.test(address)

async function linksOf(page: Page): Promise<readonly string[]> {
  const all = await page
    .locator('a[href]')
    .evaluateAll((links) => links.map((link) => (link as unknown as { readonly href: string }).href))
  return all.filter(isPage)
}

/** Visits one page of each kind, and returns the kinds. */
async function walk(
  page: Page,
  start: string,
  look: (kind: string) => Promise<void>,
): Promise<ReadonlySet<string>> {
  const seen = new Map([[kindOf(start), start]])
  for (const [kind, address] of seen) {
    const response = await page.goto(address)
    assert.equal(response?.status(), 200, address)
    await look(kind)
    for (const link of await linksOf(page)) {
      if (!seen.has(kindOf(link))) seen.set(kindOf(link), link)
    }
  }
  return new Set(seen.keys())
}

/** A phone with dark colours, and a desktop. */
const PICTURED = SHOWINGS.filter(({ width, colours }) => (width === 320) === (colours === 'dark'))

const nameOf = (kind: string): string => kind.replace(/^\/console\//, '').replaceAll(/[^\w-]+/g, '-')

inConsoleWorld((world) => {
  let browser: Browser
  before(async () => {
    browser = await launch()
  })
  after(() => browser?.close())

  test('an operator finds every page, and axe finds no problem on any page in any colours', async () => {
    const { page, problems, context } = await openWindow(browser)
    const { url } = world().service
    await signIn(page, url, OPERATOR)
    // In a window of its own, because Chromium draws a page behind another only once a second.
    const { page: forced } = await openWindow(browser, { storageState: await context.storageState() })
    const found: string[] = []
    const lookAt = async (shown: Page, showing: Showing, kind: string) => {
      await show(shown, showing)
      const where = `${kind} at ${showing.width} pixels in ${showing.colours} colours`
      found.push(...(await findings(shown)).map((finding) => `${where}: ${finding}`))
      const wider = await overflow(shown)
      if (wider > 0) found.push(`${where}: ${wider} pixels wider than the window`)
      if (PICTURED.includes(showing)) await picture(shown, `console-${nameOf(kind)}-${showing.width}`)
    }
    // The links lead to the pages of the newest session.
    await page.goto(
      `${url}/console/tokens/new?description=pages&permissions=package_access&packages=hello-world&channels=edge&life=90`,
    )
    await press(page, 'Create token')
    const kinds = await walk(page, `${url}/console/overview`, async (kind) => {
      // A page with filters is checked once.
      const showings = kind.includes('?') ? SHOWINGS.slice(0, 1) : SHOWINGS
      for (const showing of showings) await lookAt(page, showing, kind)
      assert.equal(await page.evaluate('window.hostile'), undefined, kind)
      if (kind.includes('?')) return
      const response = await forced.goto(page.url())
      assert.deepEqual([response?.status(), forced.url()], [200, page.url()])
      for (const showing of FORCED) await lookAt(forced, showing, kind)
    })
    assert.deepEqual(found, [])
    assert.deepEqual(problems, [])
    const missing = PAGES.filter((one) => ![...kinds].some((kind) => kind.split('?')[0] === one))
    assert.deepEqual(missing, [], [...kinds].join('\n'))
    await context.close()
  })

  for (const username of [VIEWER, DEVELOPER]) {
    test(`${username}, who has fewer permissions, finds no page that refuses them, without a script`, async () => {
      const { page, problems, context } = await openWindow(browser, { javaScriptEnabled: false })
      const { url } = world().service
      await signIn(page, url, username)
      const kinds = await walk(page, `${url}/console/tokens`, async () => {})
      assert.ok(kinds.has('/console/tokens/new'), [...kinds].join('\n'))
      assert.ok(!kinds.has('/console/accounts'))
      assert.deepEqual(problems, [])
      await context.close()
    })
  }
})
