/** A real browser, with the errors in it that a user would not see. */
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { clientPaths } from './paths.ts'

/** Without these options, it contacts its maker's hosts at every start. As root, it only runs without its sandbox. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

export const launch = (
  more: readonly string[] = [],
  executablePath: string = clientPaths.chromium,
): Promise<Browser> => chromium.launch({ executablePath, args: [...ARGUMENTS, ...more] })

export interface Window {
  readonly context: BrowserContext
  readonly page: Page
  /** The problems that the browser's console and the network reported. */
  readonly problems: string[]
}

/** Opens a window with its own cookies. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await browser.newContext(options)
  // Chromium focuses the field with `autofocus` when it first draws a page. If a test focuses another field before that,
  // Chromium warns as if the page had two of them. So actions wait until an element has the focus. If a test takes it
  // from all elements of such a page, its next action waits until its timeout.
  context.on('page', (opened) => {
    const unfocused = opened.locator('body:not(:has(:focus)) [autofocus]')
    // A page can be closed at once.
    opened.addLocatorHandler(unfocused, async () => {}).catch(() => {})
  })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    // A "wrong password" page has an error status, which Chromium reports.
    if (!/status of 403/.test(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('requestfailed', (request) => problems.push(`${request.url()}: ${request.failure()?.errorText}`))
  return { context, page, problems }
}

/**
 * Presses a button that leads to another page, and waits until that page is loaded. A click alone returns as soon as
 * the answer begins, and on a busy machine Chromium then refuses to go back.
 */
export async function press(page: Page, name: string): Promise<void> {
  const loaded = page.waitForEvent('load')
  await Promise.all([loaded, page.getByRole('button', { name, exact: true }).click()])
}

/** Keeps a picture if INTEROP_SCREENSHOTS names a directory. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env['INTEROP_SCREENSHOTS']
  if (directory === undefined) return
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
}

const PICTURES = join(clientPaths.root, 'docs/pictures')
/** Pictures are loaded with the README, even over slow connections. */
const MOST_BYTES = 80_000

/** Keeps a picture of the window in docs/pictures if INTEROP_README=keep, and checks the size of the stored picture. */
export async function pictureForReadme(page: Page, name: string): Promise<void> {
  const path = join(PICTURES, `${name}.jpg`)
  if (process.env['INTEROP_README'] === 'keep') await page.screenshot({ path, type: 'jpeg', quality: 70 })
  const { size } = await stat(path)
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`)
}
