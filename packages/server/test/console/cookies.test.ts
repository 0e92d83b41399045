/** The cookies of the console and the identity service if browsers use https. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addAccount } from '../support/accounts.ts'
import { oneDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { giveRoles } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const SITE = 'https://store.example'
const PERSON = { username: 'ada', email: 'ada@example.org', name: 'Ada', password: 'correct horse battery' }
const ALL = { all_permissions: 'on', all_channels: 'on', all_packages: 'on', all_store_ids: 'on' }

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_BASE_URL: `${SITE}/shop` })
  const newBrowser = () => new Browser({}, { behind: (url) => url.replace(SITE, service.origin) })
  const at = (path: string) => `${SITE}/shop/console${path}`

  before(async () => {
    await giveRoles(service, await addAccount(PERSON, service.installation), 'viewer')
  })

  test('security: every cookie has the prefix that keeps a response over http from setting it', async () => {
    const browser = newBrowser()
    const asked = await browser.open(at('/sign-in?to=/console/tokens/new'))
    const signedIn = await browser.submit(asked, 'login', PERSON)
    assert.equal(signedIn.url, at('/tokens/new'))
    const other = newBrowser()
    await other.submit(await other.open(at('/sign-in')), 'login', PERSON)
    const list = await browser.open(at('/tokens'))
    const [token = assert.fail(list.text)] = list.text.match(/\/tokens\/[0-9a-f-]{36}/g) ?? []
    const revoke = `${token}/revoke`
    const ask = await browser.open(at(revoke))
    assert.match((await browser.submit(ask, `/shop/console${revoke}`)).text, /revoked/)
    // The sign-in is now too old for this form, so the service keeps it until the user has signed in again.
    service.advance(16 * 60_000)
    await browser.submit(signedIn, '/shop/console/tokens/new', { description: 'kept', life: '30', ...ALL })

    const lines = browser.setCookies
    const names = new Set(lines.map((line) => line.replace(/=.*/s, '').replace(/-[\w-]{8}$/, '-…')))
    assert.deepEqual([...names].sort(), [
      ...['__Secure-ratafia-console', '__Secure-ratafia-console-kept-…', '__Secure-ratafia-console-notice'],
      ...['__Secure-ratafia-console-sign-in-…', '__Secure-ratafia-form', '__Secure-ratafia-sign-in'],
    ])
    for (const line of lines) {
      assert.match(line, /; Path=\/shop\/(console|identity); .*HttpOnly; Secure; SameSite=Lax$/)
    }
  })

  test('security: a session cookie without the prefix is ignored', async () => {
    const browser = newBrowser()
    await browser.submit(await browser.open(at('/sign-in')), 'login', PERSON)
    const planted = newBrowser()
    for (const [name, value] of browser.cookies) planted.cookies.set(name.replace('__Secure-', ''), value)
    assert.equal((await browser.open(at('/tokens'))).title, 'My tokens')
    assert.equal((await planted.open(at('/tokens'))).title, 'Sign in')
  })
})
