// The unusual states of a console page (contract/administration.md, C9): no records, no matches, a refused form,
// missing permission, a secret shown once, an outdated page, the database away. axe checks each in a real browser.

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
/** Waits until the job page stops reloading, because the job has finished. */
const settled = (page: Page) => page.locator('body:not([data-refresh])').waitFor({ state: 'attached' })

/** A page, a text in this state, the action that leads to it, and the clean-up. */
type State = readonly [
  name: string,
  path: string,
  says: RegExp,
  act?: (page: Page) => Promise<void>,
  tidy?: (page: Page) => Promise<void>,
]

const EMPTY: readonly State[] = [
  ['no rules of CI', '/console/publishers', /No CI rules yet/],
  ['no clones', '/console/clones', /No evidence of clones yet/],
  ['no hardware identities', '/console/hardware-identities', /No hardware identities yet/],
  ['no matching device', '/console/devices?q=ZZZ', /Nothing matches these filters/],
  ['no matching account', '/console/accounts?q=zzz', /Nothing matches these filters/],
  ['no matching token', '/console/tokens?q=zzz', /Nothing matches these filters/],
  ['no matching entry', '/console/audit?actor=account:unknown', /Nothing matches these filters/],
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
    'a token without permissions',
    '/console/tokens/new?description=nothing',
    /Choose at least one permission/,
    (page) => press(page, 'Create token'),
  ],
  [
    'an agent with a bad name',
    '/console/me/agents/new',
    /There is a problem/,
    async (page) => {
      await page.getByLabel('Name').fill('a b')
      await press(page, 'Add agent')
    },
  ],
  [
    'a device without a reason',
    '/console/devices?status=pending',
    /There is a problem/,
    async (page) => {
      await page.locator('tbody a').first().click()
      await page.getByRole('link', { name: 'Reject device…' }).click()
      await page.getByLabel('Reason').fill('a\u202eb')
      await press(page, 'Reject device')
    },
  ],
  [
    'an import with errors',
    '/console/devices/import',
    /1 problem in the file/,
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
  ['an unknown device', '/console/devices/nothing', /There is no/],
  ['an unknown page', '/console/nothing', /no page/],
]

const SHOWN_ONCE: readonly State[] = [
  [
    'an agent file',
    '/console/me/agents/new',
    /see the key only here/,
    async (page) => {
      await page.getByLabel('Name').fill('shown-once')
      await press(page, 'Add agent')
    },
  ],
  [
    'a token',
    '/console/tokens/new?description=shown&permissions=package_access&packages=hello-world&channels=edge&life=30',
    /see it only here/,
    (page) => press(page, 'Create token'),
  ],
]

inConsoleWorld((world) => {
  let browser: Browser
  before(async () => {
    browser = await launch()
  })
  after(() => browser?.close())

  const LOOKS = [SHOWINGS[0], SHOWINGS.at(-1), ...FORCED.slice(0, 1)].flatMap((one) => one ?? [])

  /** Returns the problems that axe finds, and pages that do not fit. */
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
    ['a list is empty, or nothing matches', EMPTY, OPERATOR],
    ['a form is refused', REFUSED, OPERATOR],
    ['the user lacks the permission', FORBIDDEN, VIEWER],
    ['a secret is shown', SHOWN_ONCE, OPERATOR],
  ] as const) {
    test(`axe finds no problem where ${what}`, async () => {
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

  test('axe finds no problem on the pages of a decision about many devices: preview, job, outcomes', async () => {
    const found: string[] = []
    const { url } = world().service
    const { page, context } = await openWindow(browser)
    await signIn(page, url, OPERATOR)
    await page.goto(`${url}/console/devices?q=AC-0000002`)
    await page.getByLabel('Select all on this page').check()
    await press(page, 'Revoke devices…')
    assert.match(await said(page), /10 devices/)
    found.push(...(await lookAt(page, 'many devices')))
    await page.getByLabel(/to confirm/).fill('9')
    await page.locator('main form button.danger').click()
    assert.match(await said(page), /Type exactly 10/)
    found.push(...(await lookAt(page, 'many devices refused')))
    await page.getByLabel(/to confirm/).fill('10')
    await page.locator('main form button.danger').click()
    await page.waitForURL(/\/console\/jobs\//)
    found.push(...(await lookAt(page, 'a job')))
    await settled(page)
    assert.match(await said(page), /10 of 10/)
    found.push(...(await lookAt(page, 'a finished job')))
    assert.deepEqual(found, [])
    await context.close()
  })

  test('a user chooses a file of devices, sees a preview, and imports it', async () => {
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
    assert.deepEqual(await lookAt(page, 'a valid import'), [])
    await press(page, 'Import 1 device')
    await page.waitForURL(/\/console\/jobs\//)
    await settled(page)
    await page.goto(`${url}/console/devices?q=AC-99999999`)
    assert.equal(await page.locator('tbody tr').count(), 1)
    await context.close()
  })

  test('while the database is unavailable, nothing is lost, and the page explains it', async () => {
    const { url } = world().service
    const { page, context } = await openWindow(browser)
    await signIn(page, url, OPERATOR)
    await page.goto(
      `${url}/console/tokens/new?description=away&permissions=package_access&packages=hello-world&channels=edge&life=30`,
    )
    const comesBack = await takeDatabaseAway(world().installation)
    try {
      await press(page, 'Create token')
      assert.match(await said(page), /Nothing was lost, and nothing was changed/)
      assert.deepEqual(await lookAt(page, 'away'), [])
    } finally {
      await comesBack()
    }
    await page.goto(`${url}/console/tokens?q=away`)
    assert.match(await said(page), /Nothing matches/)
    await context.close()
  })

  test('the back button shows no outdated page, and a form from there is refused or changes nothing more', async () => {
    const { url } = world().service
    const { page, context } = await openWindow(browser)
    await signIn(page, url, OPERATOR)
    await page.goto(`${url}/console/devices?q=AC-00000011`)
    await page.locator('tbody a').first().click()
    await page.getByRole('link', { name: 'Revoke device…' }).click()
    await page.getByLabel(/to confirm/).fill('AC-00000011')
    await press(page, 'Revoke device')
    assert.match(await said(page), /revoked/)
    await page.goBack()
    assert.doesNotMatch(await said(page), /AC-00000011 revoked/)
    if (await page.getByLabel(/to confirm/).count()) {
      await page.getByLabel(/to confirm/).fill('AC-00000011')
      await press(page, 'Revoke device')
    }
    assert.match(await said(page), /revoked/)
    // After signing out, the back button reveals nothing to other people at the same browser.
    await page.goto(`${url}/console/me`)
    await press(page, 'Sign out')
    await page.goBack()
    assert.doesNotMatch(await page.locator('body').innerText(), new RegExp(`${OPERATOR}@example.com`))
    await context.close()
  })
})
