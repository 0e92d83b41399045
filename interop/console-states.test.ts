// The states that a page of the console can be in beside its usual one (contract/administration.md, C9): nothing there,
// nothing that fits, refused, forbidden, shown once, out of date, away. axe looks at each, in a real browser.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { FORCED, findings, overflow, SHOWINGS, show } from './support/axe.ts'
import { launch, openWindow, picture, press } from './support/chromium.ts'
import { BRAND, HOSTILE, inConsoleWorld, MODEL, OPERATOR, signIn, VIEWER } from './support/console-world.ts'
import { takeDatabaseAway } from './support/database-away.ts'

const said = async (page: Page) => (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
/** The page of something that runs is loaded again until it has ended. */
const settled = (page: Page) => page.locator('body:not([data-refresh])').waitFor({ state: 'attached' })

/** A page, what it says in its state, how it comes into it, and what is left to tidy up. */
type State = readonly [
  name: string,
  path: string,
  says: RegExp,
  act?: (page: Page) => Promise<void>,
  tidy?: (page: Page) => Promise<void>,
]

const EMPTY: readonly State[] = [
  ['no rules of CI', '/console/publishers', /You have no rules yet/],
  ['no clones', '/console/clones', /There is no evidence of clones/],
  ['no hardware identities', '/console/hardware-identities', /No hardware identity is imported/],
  ['no device fits', '/console/devices?q=ZZZ', /Nothing matches these filters/],
  ['no account fits', '/console/accounts?q=zzz', /Nothing matches these filters/],
  ['no token fits', '/console/tokens?q=zzz', /Nothing matches these filters/],
  ['no entry fits', '/console/audit?actor=account:nobody', /Nothing matches these filters/],
  [
    'a strange search',
    `/console/devices?q=${encodeURIComponent(HOSTILE.slice(0, 60))}`,
    /The filter “search” is not a serial, a key or an id/,
  ],
  [
    'a strange filter',
    `/console/devices?model=${encodeURIComponent(HOSTILE.slice(0, 60))}`,
    /The filter “model” is not of the form BRAND\/MODEL/,
  ],
]

const REFUSED: readonly State[] = [
  [
    'a token that may do nothing',
    '/console/tokens/new?description=nothing',
    /Choose at least one thing that it may do/,
    (page) => press(page, 'Make the token'),
  ],
  [
    'an agent with a bad name',
    '/console/me/agents/new',
    /Nothing was done/,
    async (page) => {
      await page.getByLabel('Name').fill('a b')
      await press(page, 'Add the agent')
    },
  ],
  [
    'a device without a reason',
    '/console/devices?status=pending',
    /Nothing was done/,
    async (page) => {
      await page.locator('tbody a').first().click()
      await page.getByRole('link', { name: 'Reject…' }).click()
      await page.getByLabel('Reason').fill('a\u202eb')
      await press(page, 'Reject it')
    },
  ],
  [
    'an import with faults',
    '/console/devices/import',
    /1 fault in the file/,
    async (page) => {
      await page.locator('textarea').fill(`brand_id,model,serial,device_key_id\n${BRAND},${MODEL},AC--bad,x`)
      await page.locator('main form button[type=submit]').first().click()
      await page.waitForURL(/\/devices\/import\/./)
      await settled(page)
    },
    (page) => press(page, 'Choose another file'),
  ],
]

const FORBIDDEN: readonly State[] = [
  ['accounts', '/console/accounts', /accounts:read/],
  ['the policy of a model', `/console/models/${BRAND}/${MODEL}/policy`, /models:manage/],
  ['a device that is not there', '/console/devices/nothing', /There is no/],
  ['a page that is not there', '/console/nothing', /no page/],
]

const SHOWN_ONCE: readonly State[] = [
  [
    'an agents file',
    '/console/me/agents/new',
    /shows the key once/,
    async (page) => {
      await page.getByLabel('Name').fill('shown-once')
      await press(page, 'Add the agent')
    },
  ],
  [
    'a token',
    '/console/tokens/new?description=shown&permissions=package_access&packages=hello-world&channels=edge&life=30',
    /shows it once/,
    (page) => press(page, 'Make the token'),
  ],
]

inConsoleWorld((world) => {
  let browser: Browser
  before(async () => {
    browser = await launch()
  })
  after(() => browser?.close())

  const LOOKS = [SHOWINGS[0], SHOWINGS.at(-1), ...FORCED.slice(0, 1)].flatMap((one) => one ?? [])

  /** What axe finds, and what does not fit. */
  async function lookAt(page: Page, name: string): Promise<readonly string[]> {
    const found: string[] = []
    for (const showing of LOOKS) {
      await show(page, showing)
      const where = `${name} at ${showing.width} pixels in ${showing.colours} colours`
      found.push(...(await findings(page)).map((finding) => `${where}: ${finding}`))
      if ((await overflow(page)) > 0) found.push(`${where}: wider than the window`)
    }
    assert.equal(await page.evaluate('window.hostile'), undefined, name)
    await show(page, { width: 1280, colours: 'light' })
    await picture(page, `console-state-${name.replaceAll(/\W+/g, '-')}`)
    return found
  }

  for (const [what, states, username] of [
    ['nothing is there, or nothing fits', EMPTY, OPERATOR],
    ['a form is refused', REFUSED, OPERATOR],
    ['somebody may not see it', FORBIDDEN, VIEWER],
    ['a secret is shown', SHOWN_ONCE, OPERATOR],
  ] as const) {
    test(`axe finds nothing where ${what}`, async () => {
      const found: string[] = []
      const { url } = world().service
      const { page, context } = await openWindow(browser)
      await signIn(page, url, username)
      for (const [name, path, says, act, tidy] of states) {
        await page.goto(`${url}${path}`)
        await act?.(page)
        assert.match(await said(page), says, name)
        found.push(...(await lookAt(page, name)))
        await tidy?.(page)
      }
      assert.deepEqual(found, [])
      await context.close()
    })
  }

  test('axe finds nothing on the way of a decision about many: what it would do, its job, its outcomes', async () => {
    const found: string[] = []
    const { url } = world().service
    const { page, context } = await openWindow(browser)
    await signIn(page, url, OPERATOR)
    await page.goto(`${url}/console/devices?q=AC-0000002`)
    await page.getByLabel('Choose all on this page').check()
    await press(page, 'Revoke…')
    assert.match(await said(page), /10 devices/)
    found.push(...(await lookAt(page, 'many devices')))
    await page.getByLabel(/to go on/).fill('9')
    await page.locator('main form button.danger').click()
    assert.match(await said(page), /Type exactly 10/)
    found.push(...(await lookAt(page, 'many devices refused')))
    await page.getByLabel(/to go on/).fill('10')
    await page.locator('main form button.danger').click()
    await page.waitForURL(/\/console\/jobs\//)
    found.push(...(await lookAt(page, 'a job')))
    await settled(page)
    assert.match(await said(page), /10 of 10/)
    found.push(...(await lookAt(page, 'a job that has ended')))
    assert.deepEqual(found, [])
    await context.close()
  })

  test('a file of devices is chosen, looked at, and imported', async () => {
    const { url } = world().service
    const { page, context } = await openWindow(browser)
    await signIn(page, url, OPERATOR)
    const file = join(world().installation.directory, 'more.csv')
    const key = 'B'.repeat(64)
    await writeFile(file, `brand_id,model,serial,device_key_id\n${BRAND},${MODEL},AC-99999999,${key}\n`)
    await page.goto(`${url}/console/devices/import`)
    await page.locator('input[type=file]').setInputFiles(file)
    await page.locator('main form button[type=submit]').first().click()
    await page.waitForURL(/\/devices\/import\/./)
    await settled(page)
    assert.deepEqual(await lookAt(page, 'an import that fits'), [])
    await press(page, 'Import 1 device')
    await page.waitForURL(/\/console\/jobs\//)
    await settled(page)
    await page.goto(`${url}/console/devices?q=AC-99999999`)
    assert.equal(await page.locator('tbody tr').count(), 1)
    await context.close()
  })

  test('while the database is away nothing is lost, and the page says so', async () => {
    const { url } = world().service
    const { page, context } = await openWindow(browser)
    await signIn(page, url, OPERATOR)
    await page.goto(
      `${url}/console/tokens/new?description=away&permissions=package_access&packages=hello-world&channels=edge&life=30`,
    )
    const comesBack = await takeDatabaseAway(world().installation)
    try {
      await press(page, 'Make the token')
      assert.match(await said(page), /Nothing was lost, and nothing was done/)
      assert.deepEqual(await lookAt(page, 'away'), [])
    } finally {
      await comesBack()
    }
    await page.goto(`${url}/console/tokens?q=away`)
    assert.match(await said(page), /Nothing matches/)
    await context.close()
  })

  test('the back button shows no page as it was, and what is sent from there is refused or changes nothing more', async () => {
    const { url } = world().service
    const { page, context } = await openWindow(browser)
    await signIn(page, url, OPERATOR)
    await page.goto(`${url}/console/devices?q=AC-00000011`)
    await page.locator('tbody a').first().click()
    await page.getByRole('link', { name: 'Revoke…' }).click()
    await page.getByLabel(/to go on/).fill('AC-00000011')
    await press(page, 'Revoke it for good')
    assert.match(await said(page), /revoked/)
    await page.goBack()
    assert.doesNotMatch(await said(page), /AC-00000011 is revoked/)
    if (await page.getByLabel(/to go on/).count()) {
      await page.getByLabel(/to go on/).fill('AC-00000011')
      await press(page, 'Revoke it for good')
    }
    assert.match(await said(page), /revoked/)
    // After signing out, back leads to nothing that somebody else may not see.
    await page.goto(`${url}/console/me`)
    await press(page, 'Sign out')
    await page.goBack()
    assert.doesNotMatch(await page.locator('body').innerText(), new RegExp(`${OPERATOR}@example.com`))
    await context.close()
  })
})
