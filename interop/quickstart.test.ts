// docs/quickstart.md, followed word by word: its commands in a shell, what it says to choose, enter and read in a real
// browser, and the token that it leads to in the store layer of snapcraft.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import { atTerminal } from './support/at-terminal.ts'
import { launch, openWindow, picture } from './support/chromium.ts'
import { SNAPCRAFTS, snapcraftStoreLayer } from './support/driver.ts'
import { type Installation, newInstallation } from './support/installation.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { type Service, startService } from './support/service.ts'

const run = promisify(execFile)
const PASSWORD = 'correct horse battery'
const ADDRESS = 'http://127.0.0.1:8080'

/** One line of the page that somebody acts on, or one block of commands. */
type Step = { readonly commands: string } | { readonly item: string }

/** In the order of the page. Blocks without a language are for reading. */
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

  /** As somebody types it, with the data and the port of this test. */
  async function type(command: string): Promise<void> {
    // They are what has been done before.
    if (command === 'npm ci') return
    if (command === 'npm start') {
      service = await startService(installation)
      return
    }
    const data = installation.environment['RATAFIA_DATA_DIR'] ?? ''
    const typed = command.replaceAll(ADDRESS, service.url).replace(/(^|\s)data\//g, `$1${data}/`)
    const environment = cleanEnvironment(installation.environment)
    if (/ accounts add /.test(typed)) {
      const words = ['/bin/bash', '-c', `cd ${clientPaths.root} && ${typed}`]
      const asked = await atTerminal(words, environment, [
        ['Password: ', `${PASSWORD}\r`],
        ['Again: ', `${PASSWORD}\r`],
      ])
      assert.equal(asked.code, 0, asked.shown)
      return
    }
    try {
      await run('bash', ['-euc', typed], { cwd: clientPaths.root, env: environment })
    } catch (error) {
      // As the page says.
      if (!/Somebody has to approve/.test((error as { stderr: string }).stderr)) throw error
    }
  }

  test('its commands and its browser lead to a token that snapcraft uses, and to an approved device', async () => {
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
      await follow(page, step.item, service?.url ?? '')
      const shown = page.locator('#once-snapcraft')
      if (credential === undefined && (await shown.count()) === 1) {
        credential = await shown.inputValue()
        await picture(page, 'quickstart-token')
        assert.equal(await snapcraft(), 200)
      }
      if (/is revoked/.test(step.item)) assert.equal(await snapcraft(), 401)
    }
    assert.ok(credential, 'the page leads to a token')
    await picture(page, 'quickstart-device')
    assert.deepEqual(problems, [])
    await context.close()
  })
})

/** Does what one line of the page says. */
async function follow(page: Page, item: string, url: string): Promise<void> {
  const [, address] = /^Open `([^`]+)`/.exec(item) ?? []
  if (address !== undefined) return void (await page.goto(address.replace(ADDRESS, url)))
  if (/^Reload the page/.test(item)) return void (await page.reload())
  const [, text] = /^Read “([^”]+)”/.exec(item) ?? []
  if (text !== undefined) {
    const shown = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
    assert.ok(shown.includes(text), `the page says “${text}”: ${shown}`)
    return
  }
  if (/^Choose the first link of the list/.test(item)) {
    await page.locator('table tbody a').first().click()
    return page.waitForLoadState()
  }
  const [, value, field] =
    /^(?:Enter|Choose) (?:`([^`]+)`|the password|\*\*[^*]+\*\*) as \*\*([^*]+)\*\*/.exec(item) ?? []
  if (field !== undefined) {
    const [, choice] = /^Choose \*\*([^*]+)\*\* as/.exec(item) ?? []
    const label = page.getByLabel(field, { exact: true })
    if (choice === undefined) return label.fill(value ?? PASSWORD)
    return void (await label.selectOption({ label: choice }))
  }
  const [, name] = /^Choose \*\*([^*]+)\*\*/.exec(item) ?? []
  assert.ok(name, `the page says what to do: ${item}`)
  await (await named(page, name)).click()
  await page.waitForLoadState()
}

/** The link, button or choice with this name; the first, if a page has two. */
async function named(page: Page, name: string): Promise<Locator> {
  const called = (exact: boolean) =>
    (['link', 'button', 'radio'] as const)
      .map((role) => page.getByRole(role, { name, exact }))
      .reduce((one, other) => one.or(other))
  const exactly = called(true)
  return (await exactly.count()) > 0 ? exactly.first() : called(false).first()
}
