// The first minute of a new user: starts the service at a terminal, follows the link that it prints in a real browser,
// becomes the first operator, and creates a token. Prints how long that took; the time is not a condition.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { ratafiaCommand } from '../tools/test/programs.ts'
import { launch, openWindow } from './support/chromium.ts'
import { endWithThisProcess } from './support/end-with-this-process.ts'
import { becomeOperator, createToken } from './support/first-minute.ts'
import { cleanEnvironment } from './support/paths.ts'

let directory: string
let browser: Browser
let terminal: ChildProcess | undefined
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ratafia-first-minute-'))
  browser = await launch()
})
after(async () => {
  await browser?.close()
  // The service ends when its terminal is closed.
  if (terminal?.kill()) await once(terminal, 'exit')
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})

/** Starts the service at a terminal, in an empty directory, and returns the link that it prints. */
async function startAtTerminal(): Promise<string> {
  const command = [...ratafiaCommand(), 'serve'].map((word) => `'${word}'`).join(' ')
  const shown = spawn(
    'script',
    ['--quiet', '--flush', '--return', '--command', `exec ${command}`, '/dev/null'],
    {
      cwd: directory,
      env: cleanEnvironment({ RATAFIA_PORT: '0' }),
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  terminal = shown
  endWithThisProcess(shown)
  for await (const line of createInterface({ input: shown.stdout, crlfDelay: Infinity })) {
    const [link] = /http:\S+\/setup\/\S+/.exec(line) ?? []
    if (link === undefined) continue
    shown.stdout.resume()
    return link
  }
  throw new Error('the service ended without a link')
}

test('from nothing to a signed-in operator and a first token', async (context) => {
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1)
  const link = await startAtTerminal()
  const { page, problems } = await openWindow(browser)
  await becomeOperator(page, link)
  context.diagnostic(`a signed-in operator after ${seconds()} s`)

  const { origin } = new URL(link)
  const token = await createToken(page, origin)
  const whoami = await fetch(`${origin}/api/v2/tokens/whoami`, {
    headers: { authorization: `Macaroon ${token}` },
  })
  assert.equal(whoami.status, 200)
  context.diagnostic(`a first token after ${seconds()} s`)
  assert.deepEqual(problems, [])

  await page.goto(link)
  assert.match(await page.locator('main').innerText(), /already set up/)
})
