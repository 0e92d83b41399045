/** Runs axe, which finds accessibility problems, in each width and set of colours that the console supports. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const WIDTHS = [320, 1280] as const

export interface Showing {
  readonly width: 320 | 1280
  readonly colours: 'light' | 'dark' | 'forced'
}

/** Each width in each set of colours (contract/administration.md, C12). Chromium keeps some of forced colours. */
export const SHOWINGS: readonly Showing[] = WIDTHS.flatMap((width) =>
  (['light', 'dark'] as const).map((colours) => ({ width, colours })),
)
export const FORCED: readonly Showing[] = WIDTHS.map((width) => ({ width, colours: 'forced' }))

export const show = async (page: Page, { width, colours }: Showing): Promise<void> => {
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia({
    colorScheme: colours === 'dark' ? 'dark' : 'light',
    forcedColors: colours === 'forced' ? 'active' : 'none',
  })
}

/** Returns a line for each problem that axe finds on the page as it is shown: WCAG 2.2 A and AA, and best practices. */
export async function findings(page: Page): Promise<readonly string[]> {
  // The debugger runs it, because it is not subject to the content security policy.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source)
  const { violations } = (await page.evaluate(
    // With forced colours, the user's own colours apply instead of those of the page.
    `axe.run(document, { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: !matchMedia('(forced-colors: active)').matches } } })`,
  )) as AxeResults
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} at ${nodes.map(({ target }) => target.join(' ')).join('; ')}`,
  )
}

/** Returns how many pixels the page is wider than the window. */
export const overflow = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
