// Follows docs/quickstart.md word by word: runs its commands in a shell, does its browser steps in a real browser,
// and uses the resulting token in the store layer of snapcraft.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import { launch, openWindow, picture } from './support/chromium.ts'
import { SNAPCRAFTS, snapcraftStoreLayer } from './support/driver.ts'
import { type Installation, newInstallation } from './support/installation.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { type Service, startService } from './support/service.ts'

const run = promisify(execFile)
const PASSWORD = 'correct horse battery'
const ADDRESS = 'http://127.0.0.1:8080'

/** One browser step of the page, or one block of commands. */
type Step = { readonly commands: string } | { readonly item: string }

/** Returns the steps in the order of the page. Readers do not run blocks without a language. */
function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(join(clientPaths.root, page), 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$|^- ((?:Open|Choose|Enter|Read|Reload) .+)$/gm)].map(
    ([, commands, item = '']) => (commands === undefined ? { item } : { commands }),
  )
}

suite('docs/quickstart.md', { timeout: 300_000 }, () => {
  let installation: Installation
  let service: Service
  let browser: Browser
  before(async () => {
    installation = await newInstallation('sqlite')
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    await installation?.remove()
  })

  const options = () => ({ cwd: clientPaths.root, env: cleanEnvironment(installation.environment) })

  /** Returns the link that the service prints at a terminal, which it does not have here. */
  async function setupLink(): Promise<string> {
    const { stdout } = await run('ratafia', ['setup-link'], options())
    const [link] = /http:\S+\/setup\/\S+/.exec(stdout) ?? []
    assert.ok(link, stdout)
    return link
  }

  /** Runs a command as a user types it, with the data directory and the port of this test. */
  async function type(command: string): Promise<void> {
    // These packages are installed already.
    if (command === 'npm ci') return
    if (command === 'npm start') {
      service = await startService(installation)
      return
    }
    const data = installation.environment['RATAFIA_DATA_DIR'] ?? ''
    const typed = command.replaceAll(ADDRESS, service.url).replace(/(^|\s)data\//g, `$1${data}/`)
    try {
      await run('bash', ['-euc', typed], options())
    } catch (error) {
      // The page announces this error.
      if (!/The device is pending/.test((error as { stderr: string }).stderr)) throw error
    }
  }

  test('its commands and browser steps lead to a token that works in snapcraft, and to an approved device', async () => {
    const { page, problems, context } = await openWindow(browser)
    page.setDefaultTimeout(10_000)
    let credential: string | undefined
    const snapcraft = async () => {
      const client = snapcraftStoreLayer(SNAPCRAFTS['store layer of snapcraft 8 and newer'], service.url, {
        SNAPCRAFT_STORE_CREDENTIALS: credential ?? '',
      })
      const { status } = await client.ask({ do: 'whoami' }).finally(() => client.close())
      return status
    }
    for (const step of stepsOf('docs/quickstart.md')) {
      if ('commands' in step) {
        for (const command of step.commands.trim().split('\n')) await type(command)
        continue
      }
      if (step.item === 'Open the link.') await page.goto(await setupLink())
      else await follow(page, step.item, service?.url ?? '')
      const shown = page.locator('#once-snapcraft')
      if (credential === undefined && (await shown.count()) === 1) {
        credential = await shown.inputValue()
        await picture(page, 'quickstart-token')
        assert.equal(await snapcraft(), 200)
      }
      if (/revoked/.test(step.item)) assert.equal(await snapcraft(), 401)
    }
    assert.ok(credential, 'the page leads to a token')
    await picture(page, 'quickstart-device')
    assert.deepEqual(problems, [])
    await context.close()
  })
})

/** Does one browser step of the page. */
async function follow(page: Page, item: string, url: string): Promise<void> {
  const [, address] = /^Open `([^`]+)`/.exec(item) ?? []
  if (address !== undefined) return void (await page.goto(address.replace(ADDRESS, url)))
  if (/^Reload the page/.test(item)) return void (await page.reload())
  const [, text] = /^Read “([^”]+)”/.exec(item) ?? []
  if (text !== undefined) {
    const shown = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
    assert.ok(shown.includes(text), `the page contains “${text}”: ${shown}`)
    return
  }
  if (/^Choose the first link of the list/.test(item)) {
    await page.locator('table tbody a').first().click()
    return page.waitForLoadState()
  }
  const [, value, field] =
    /^(?:Enter|Choose) (?:`([^`]+)`|(?:a|the) password|\*\*[^*]+\*\*) as \*\*([^*]+)\*\*/.exec(item) ?? []
  if (field !== undefined) {
    const [, choice] = /^Choose \*\*([^*]+)\*\* as/.exec(item) ?? []
    const label = page.getByLabel(field, { exact: true })
    if (choice === undefined) return label.fill(value ?? PASSWORD)
    return void (await label.selectOption({ label: choice }))
  }
  const [, name] = /^Choose \*\*([^*]+)\*\*/.exec(item) ?? []
  assert.ok(name, `the step names an element: ${item}`)
  await (await named(page, name)).click()
  await page.waitForLoadState()
}

/** Returns the link, button or choice with this name; the first, if the page has several. */
async function named(page: Page, name: string): Promise<Locator> {
  const called = (exact: boolean) =>
    (['link', 'button', 'radio'] as const)
      .map((role) => page.getByRole(role, { name, exact }))
      .reduce((one, other) => one.or(other))
  const exactly = called(true)
  return (await exactly.count()) > 0 ? exactly.first() : called(false).first()
}
