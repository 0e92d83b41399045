/** The `BROWSER` of clients, which signs in and decides like the user of `INTEROP_PERSON`: see person-settings.ts. */
import { existsSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Page, personBrowser } from './person-browser.ts'
import type { Person, Seen } from './person-settings.ts'

const [, , url = ''] = process.argv
const settings = process.env['INTEROP_PERSON'] ?? ''
const person = JSON.parse(await readFile(settings, 'utf8')) as Person
const { username, password, button } = person

while (person.comesWhen !== undefined && !existsSync(person.comesWhen)) {
  // Without the settings, the tests are over.
  if (!existsSync(settings)) process.exit()
  await sleep(100)
}

const browser = personBrowser()
let page = await see(await browser.open(url))
const signIn = page.forms.find((form) => form.hasPassword)
if (signIn) page = await see(await browser.submit(signIn, { username, password }, 'Sign in'))
const decision = page.forms.find((form) => form.buttons.some(({ text }) => text === button))
if (decision) await see(await browser.submit(decision, {}, button))
await writeFile(`${person.notes}.done`, '')

async function see(page: Page): Promise<Page> {
  const seen: Seen = { status: page.status, title: page.title, text: page.text }
  await appendFile(person.notes, `${JSON.stringify(seen)}\n`)
  return page
}
