/** Signing in to the console of a service with the bundled identity service, and out of it, on every database. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { useResetLink } from '../../src/accounts/one-time-links/reset-link.ts'
import { KEPT_MS, keepForm } from '../../src/console/sign-in/kept-forms.ts'
import {
  addUser,
  disableAccount,
  enableSecondFactor,
  makeResetLink,
  PASSWORD,
  setPassword,
} from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { Browser, type Page } from '../support/identity.ts'
import { giveRoles, manage, managementToken } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const SESSION = 'ratafia-console'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let ada: Account
  beforeEach(async () => {
    ada = await newPerson()
  })

  async function newPerson(): Promise<Account> {
    const account = await addUser(service.installation)
    await giveRoles(service, account, 'viewer')
    return account
  }

  const at = (path: string) => `${service.baseUrl}${path}`
  const pathOf = (page: Page) => page.url.slice(service.baseUrl.length)
  const newBrowser = () => new Browser({ 'user-agent': FIREFOX })
  const pendingOf = ({ cookies }: Browser) =>
    [...cookies.keys()].filter((name) => name.startsWith('ratafia-console-sign-in-'))

  const signInAt = async (browser: Browser, asked: Page, account = ada): Promise<Page> =>
    browser.submit(asked, 'login', { username: account.username, password: PASSWORD })
  const signIn = async (browser: Browser, path = '/console/sign-in', account = ada): Promise<Page> =>
    signInAt(browser, await browser.open(at(path)), account)
  const tokenOf = (browser: Browser): string => browser.cookies.get(SESSION) ?? assert.fail('no session')
  const me = async (browser: Browser) => manage(service, tokenOf(browser), 'GET', '/me')

  test('a user signs in and gets a cookie with a management token for twelve hours', async () => {
    const browser = newBrowser()
    const asked = await browser.open(at('/console/sign-in?to=/console/tokens'))
    assert.equal(asked.title, 'Sign in')
    assert.ok(asked.text.includes(`Sign in to the console of <strong>${service.baseUrl}</strong>`))
    const page = await signInAt(browser, asked)
    assert.equal(pathOf(page), '/console/tokens')
    const { status, body } = await me(browser)
    assert.equal(status, 200)
    assert.deepEqual([body.username, body.signed_in.with], [ada.username, 'browser'])
    assert.equal(body.grants[0].role, 'viewer')
    const hours = (Date.parse(body.expires) - service.now().getTime()) / 3_600_000
    assert.ok(hours > 11.9 && hours <= 12, String(hours))
    const { tokens } = (await manage(service, tokenOf(browser), 'GET', '/me/tokens')).body
    assert.equal(tokens[0].description, 'console, Firefox on Linux')
    assert.equal(tokens[0].session_id, body.session_id)
    const line = browser.setCookies.find((one) => one.startsWith(`${SESSION}=`)) ?? ''
    assert.match(line, /; Max-Age=43\d\d\d; Path=\/console; HttpOnly; SameSite=Lax$/)
    assert.deepEqual(pendingOf(browser), [])
  })

  const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
    'a new password': () =>
      setPassword({ account: ada.id, password: 'another battery staple' }, service.installation),
    'a new password through a link': async () => {
      const { secret } = await makeResetLink({ account: ada.id, lifetimeMs: 3_600_000 }, service.installation)
      return useResetLink(
        { secret, password: 'another battery staple', address: '127.0.0.1' },
        service.installation,
      )
    },
    'a second factor': () =>
      enableSecondFactor({ account: ada.id, issuer: 'x', instead: false }, service.installation),
  }
  for (const [what, end] of Object.entries(ENDS)) {
    test(`Guarantee: ${what} signs every browser out of the console, and a later sign-in works`, async () => {
      const browser = newBrowser()
      await signIn(browser)
      assert.equal((await me(browser)).status, 200)
      service.advance(1_000)
      await end()
      await eventually('the session is refused', async () => (await me(browser)).status === 401)
      assert.equal((await browser.open(at('/console/me'))).title, 'Sign in')
    })
  }

  test('a browser that is signed in to the identity service does not have to sign in again', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const first = tokenOf(browser)
    const page = await browser.open(at('/console/sign-in?to=/console/tokens'))
    assert.equal(pathOf(page), '/console/tokens')
    assert.notEqual(tokenOf(browser), first)
    // A browser has one session, so the earlier one is revoked at once.
    assert.equal((await manage(service, first, 'GET', '/me')).status, 401)
    assert.equal((await me(browser)).status, 200)
  })

  test('a session stays while its account has a running job, which would stop with it', async () => {
    await giveRoles(service, ada, 'auditor')
    const browser = newBrowser()
    await signIn(browser)
    const first = tokenOf(browser)
    const job = await manage(service, first, 'POST', '/audit/verify', { body: {} })
    assert.equal(job.status, 202, JSON.stringify(job.body))
    await browser.open(at('/console/sign-in'))
    assert.notEqual(tokenOf(browser), first)
    assert.equal((await manage(service, first, 'GET', '/me')).status, 200)
    // The job of another account does not matter.
    const bob = newBrowser()
    const other = await newPerson()
    await signIn(bob, '/console/sign-in', other)
    const bobs = tokenOf(bob)
    await bob.open(at('/console/sign-in'))
    assert.equal((await manage(service, bobs, 'GET', '/me')).status, 401)
  })

  const HOSTILE = [
    ...['https://evil.example.org/', '//evil.example.org/console/', '/\\evil.example.org/console/'],
    ...['/console//evil.example.org', '/console/\\evil.example.org', '/console/../identity/account'],
    ...['/console/%2e%2e/identity/account', '/consolex', '/identity/account', 'javascript:alert(1)'],
    ...['/console/tokens#x', '/console/tok\tens', '/console/tokéns', '/console/sign-in?to=/console/'],
    ...['/console/signed-in', '/console/sign-out', '/console/go-on', ` /console/tokens`],
    ...[`/console/${'x'.repeat(3_000)}`, ''],
  ]

  test('after the sign-in, the browser only goes to a console page', async () => {
    const browser = newBrowser()
    await signIn(browser)
    for (const to of HOSTILE) {
      const led = await leadsTo(browser, `/console/sign-in?to=${encodeURIComponent(to)}`)
      // White space around it is not part of it.
      assert.equal(led, to.trim() === '/console/tokens' ? '/console/tokens' : '/console/', to)
    }
  })

  /** Returns where the browser is sent after its return, without going there. */
  async function leadsTo(browser: Browser, path: string): Promise<string> {
    const back = await backFrom(browser, path)
    return (await browser.hop(back)) ?? assert.fail('no redirect')
  }

  /** Returns the URL with the code that a signed-in browser is sent back to. */
  async function backFrom(browser: Browser, path: string): Promise<string> {
    let url = at(path)
    for (let hops = 0; hops < 5 && !url.includes('/console/signed-in'); hops++) {
      url = new URL((await browser.hop(url)) ?? assert.fail(`${url} does not redirect`), url).href
    }
    return url
  }

  test('keeps filters in the URL, unless it is very long', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const to = '/console/devices?model=acme%2Fpi&q=AC-00'
    assert.equal(await leadsTo(browser, `/console/sign-in?to=${encodeURIComponent(to)}`), to)
    const long = `/console/devices?q=${'x'.repeat(1_000)}`
    assert.equal(
      await leadsTo(browser, `/console/sign-in?to=${encodeURIComponent(long)}`),
      '/console/devices',
    )
    for (const line of browser.setCookies) assert.ok(line.length < 4_096, String(line.length))
  })

  test('a code in another browser is used up without opening a session, and a different state does not open one', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const back = await backFrom(browser, '/console/sign-in')
    const other = newBrowser()
    const refused = await other.open(back)
    assert.deepEqual([refused.status, refused.title], [403, 'Sign-in not started here'])
    assert.match(refused.text, /href="\/console\/sign-in"/)
    assert.equal(other.cookies.has(SESSION), false)
    // The cookie has the right name, but belongs to another sign-in.
    const foreign = newBrowser()
    await backFrom(browser, '/console/sign-in')
    const [mine = ''] = pendingOf(browser)
    const name = `ratafia-console-sign-in-${new URL(back).searchParams.get('state')?.slice(0, 8)}`
    const others = pendingOf(browser).find((one) => one !== name) ?? mine
    foreign.cookies.set(name, browser.cookies.get(others) ?? '')
    const swapped = await foreign.open(back)
    assert.deepEqual([swapped.status, swapped.title], [403, 'Sign-in not started here'])
    for (const query of ['', '?code=x', '?code=x&state=', '?code=x&state=ééé', '?state=x&error=y']) {
      assert.equal((await newBrowser().open(at(`/console/signed-in${query}`))).status, 403, query)
    }
    // The code is used up, so it does not open a session in its own browser either: an attacker who sent the
    // link may have the cookie.
    const late = await browser.open(back)
    assert.deepEqual([late.status, late.title], [403, 'Sign-in refused'])
    assert.match(late.text, /The code was used before/)
  })

  test('the same code does not open a second session', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const back = await backFrom(browser, '/console/sign-in')
    const copy = newBrowser()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    await browser.open(back)
    const again = await copy.open(back)
    assert.deepEqual([again.status, again.title], [403, 'Sign-in refused'])
    assert.match(again.text, /The code was used before/)
  })

  test('a code expires after a minute, and a sign-in after half an hour', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const back = await backFrom(browser, '/console/sign-in?to=/console/tokens')
    service.advance(60_000)
    const late = await browser.open(back)
    assert.deepEqual([late.status, late.title], [403, 'Sign-in refused'])
    assert.match(late.text, /The code has expired/)
    assert.match(late.text, /href="\/console\/sign-in\?to=%2Fconsole%2Ftokens"/)
    const other = await backFrom(browser, '/console/sign-in')
    service.advance(30 * 60_000)
    assert.equal((await browser.open(other)).title, 'Sign-in not started here')
  })

  test('two tabs can sign in at the same time', async () => {
    const browser = newBrowser()
    const one = await browser.open(at('/console/sign-in?to=/console/tokens'))
    const two = await browser.open(at('/console/sign-in?to=/console/me'))
    assert.equal(pendingOf(browser).length, 2)
    assert.equal(pathOf(await signInAt(browser, two)), '/console/me')
    assert.equal(pathOf(await browser.open(one.url)), '/console/tokens')
    assert.equal((await me(browser)).status, 200)
  })

  test('repeated sign-ins leave few cookies, and the newest work', async () => {
    const browser = newBrowser()
    const asked: Page[] = []
    for (let tab = 0; tab < 6; tab++)
      asked.push(await browser.open(at(`/console/sign-in?to=/console/t${tab}`)))
    assert.equal(pendingOf(browser).length, 3)
    const last = asked.at(-1) ?? assert.fail()
    assert.equal(pathOf(await signInAt(browser, last)), '/console/t5')
  })

  test('an action that requires a recent sign-in asks for the password again, and the session records it', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const signedInAt = async () => Date.parse((await me(browser)).body.signed_in.at)
    const first = await signedInAt()
    service.advance(20 * 60_000)
    // Other sign-ins do not ask, because the browser is still signed in at the identity service.
    await browser.open(at('/console/sign-in'))
    assert.equal(await signedInAt(), first)
    const asked = await browser.open(at('/console/sign-in?recent=1&to=/console/tokens'))
    assert.equal(asked.title, 'Confirm that it’s you')
    assert.equal(pathOf(await signInAt(browser, asked)), '/console/tokens')
    assert.ok((await signedInAt()) >= first + 20 * 60_000)
  })

  test('refuses a disabled account with a page, without a session', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const back = await backFrom(browser, '/console/sign-in')
    await disableAccount(ada.username, service.installation)
    const page = await browser.open(back)
    assert.deepEqual([page.status, page.title], [403, 'Sign-in refused'])
    assert.match(page.text, /disabled/)
  })

  test('a rejected login returns without a code, and the page explains it', async () => {
    const browser = newBrowser()
    const asked = await browser.open(at('/console/sign-in?to=/console/tokens'))
    const state = [...pendingOf(browser)][0]?.slice('ratafia-console-sign-in-'.length) ?? ''
    assert.ok(asked.url.includes('/identity/login?did='))
    assert.equal((await browser.open(at(`/console/signed-in?error=no&state=${state}`))).status, 403)
    await signInAt(browser, asked)
    const back = new URL(await backFrom(browser, '/console/sign-in?to=/console/tokens'))
    back.searchParams.delete('code')
    back.searchParams.set('error', '<b>no</b>')
    const page = await browser.open(back.href)
    assert.deepEqual([page.status, page.title], [403, 'Sign-in refused'])
    assert.match(page.text, /rejected at the identity service/)
    assert.doesNotMatch(page.text, /<b>no/)
  })

  const signOut = (
    browser: Browser,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => browser.post(at('/console/sign-out'), fields, headers)
  const csrfOn = (page: Page): string =>
    page.forms.find(({ action }) => action === '/console/sign-out')?.fields['csrf'] ?? assert.fail('no form')

  test('signing out revokes the session at once, and signs out of the identity service', async () => {
    const browser = newBrowser()
    const page = await signIn(browser, '/console/sign-in?to=/console/tokens')
    const token = tokenOf(browser)
    for (const [fields, headers] of [
      [{}, {}],
      [{ csrf: 'x' }, {}],
      [{ csrf: csrfOn(page) }, { 'sec-fetch-site': 'cross-site' }],
      [{ csrf: csrfOn(page) }, { 'sec-fetch-site': 'same-site' }],
    ] as const) {
      const refused = await signOut(browser, fields, headers)
      assert.deepEqual([refused.status, refused.title], [403, 'Form out of date'])
      assert.equal((await manage(service, token, 'GET', '/me')).status, 200)
    }
    const out = await signOut(browser, { csrf: csrfOn(page) }, { 'sec-fetch-site': 'same-origin' })
    assert.deepEqual([out.status, out.title], [200, 'Signed out'])
    assert.match(out.text, /and of the identity service in this browser/)
    assert.equal(browser.cookies.has(SESSION), false)
    assert.equal((await manage(service, token, 'GET', '/me')).status, 401)
    assert.equal((await browser.open(at('/console/sign-in'))).title, 'Sign in')
    const entries = await service.installation.audit.list({}, { limit: 10 })
    const mine = entries.filter(({ actor }) => actor === `account:${ada.username}`)
    assert.deepEqual(
      mine
        .slice(0, 2)
        .map(({ action }) => action)
        .sort(),
      ['account.sign-out', 'token.revoke'],
    )
    const revoked = mine.find(({ action }) => action === 'token.revoke')
    assert.equal(JSON.parse(revoked?.details ?? '{}').via, 'console')
    // Signing out again, or with an invalid cookie, shows the same page.
    assert.equal((await signOut(browser)).title, 'Signed out')
  })

  test('signing out of one browser leaves the others', async () => {
    const [one, two] = [newBrowser(), newBrowser()]
    await signIn(one)
    service.advance(1)
    const page = await signIn(two, '/console/sign-in?to=/console/tokens')
    await signOut(two, { csrf: csrfOn(page) })
    assert.equal((await me(one)).status, 200)
    assert.equal(pathOf(await one.open(at('/console/sign-in?to=/console/tokens'))), '/console/tokens')
  })

  const FIELDS = [
    ['description', 'a <b>"b"</b>\u202e'],
    ['permissions', 'package_access'],
    ['permissions', 'package_upload'],
    ['once', 'o'.repeat(22)],
    ['csrf', 'of an earlier session'],
    ['password', 'a secret that is dropped'],
  ] as const

  /** Keeps a form as if it was sent too late: a row in the database, and a cookie of the browser. */
  async function keptIn(browser: Browser, account = ada, fields: typeof FIELDS | readonly [] = FIELDS) {
    const secret = await keepForm(
      { accountId: account.id, path: '/console/tokens/new', fields },
      { ...service.installation },
    )
    assert.ok(secret)
    browser.cookies.set(`ratafia-console-kept-${secret.slice(0, 8)}`, secret)
    return { secret, path: `/console/sign-in?recent=1&kept=${secret.slice(0, 8)}&to=/console/tokens/new` }
  }
  const linkOn = (page: Page): string =>
    at(
      (/class="button primary" href="([^"]*)"/.exec(page.text)?.[1] ?? assert.fail()).replaceAll(
        '&amp;',
        '&',
      ),
    )

  test('keeps a form that was sent too late through the sign-in, shows it, and sends it with the token of the new session', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const { path } = await keptIn(browser)
    const ask = await browser.open(at(path))
    assert.equal(ask.title, 'Confirm that it’s you')
    assert.match(ask.text, /What you entered is kept/)
    const asked = await browser.open(linkOn(ask))
    assert.equal(asked.title, 'Confirm that it’s you')
    const page = await signInAt(browser, asked)
    assert.equal(page.title, 'Continue with what you entered?')
    assert.match(page.text, /<dd>a &lt;b&gt;&quot;b&quot;&lt;\/b&gt;⟨U\+202E⟩<\/dd>/)
    const form = page.forms.find(({ action }) => action === '/console/tokens/new')
    assert.deepEqual(Object.keys(form?.fields ?? {}).sort(), ['csrf', 'description', 'once', 'permissions'])
    assert.equal(form?.fields['description'], FIELDS[0][1])
    assert.equal(page.text.match(/name="permissions"/g)?.length, 2)
    assert.ok(!page.text.includes('is dropped') && !page.text.includes('of an earlier session'))
    assert.notEqual(form?.fields['csrf'], FIELDS[4][1])
    // The form is shown once.
    const again = await browser.open(page.url)
    assert.deepEqual([again.status, again.title], [410, 'Nothing to continue'])
    assert.equal(await count(), 0)
  })

  test('a form of the console that was sent too late takes effect after the sign-in', async () => {
    const browser = newBrowser()
    const made = await signIn(browser, '/console/sign-in?to=/console/tokens/new')
    const { csrf = '', once = '' } =
      made.forms.find(({ action }) => action === '/console/tokens/new')?.fields ?? {}
    assert.ok(csrf !== '' && once !== '')
    service.advance(16 * 60_000)
    const all = Object.fromEntries(
      ['permissions', 'channels', 'packages', 'store_ids'].map((name) => [`all_${name}`, 'on']),
    )
    const sent = { csrf, once, description: 'kept for me', life: '30', ...all }
    const late = await browser.post(at('/console/tokens/new'), sent)
    assert.equal(late.title, 'Confirm that it’s you')
    const line = browser.setCookies.findLast((one) => one.startsWith('ratafia-console-kept-')) ?? ''
    assert.match(line, /; Max-Age=1800; Path=\/console; HttpOnly; SameSite=Lax$/)
    const descriptions = async () =>
      (await manage(service, tokenOf(browser), 'GET', '/me/tokens')).body.tokens.map(
        ({ description }: { description: string }) => description,
      )
    assert.ok(!(await descriptions()).includes('kept for me'))
    const goOn = await signInAt(browser, await browser.open(linkOn(late)))
    assert.equal(goOn.title, 'Continue with what you entered?')
    const done = await browser.submit(goOn, '/console/tokens/new')
    assert.equal(done.status, 200, done.text)
    assert.ok((await descriptions()).includes('kept for me'))
    // A page that requires a recent sign-in, and has no form to keep, asks at once.
    service.advance(16 * 60_000)
    assert.equal((await browser.open(at('/console/tokens/new'))).title, 'Confirm that it’s you')
  })

  const count = async () =>
    (
      await service.installation.database.query
        .selectFrom('kept_form')
        .select('id')
        .where('account_id', '=', ada.id)
        .execute()
    ).length

  test('another user cannot see any part of a kept form, and its owner still can', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const { path, secret } = await keptIn(browser)
    const bob = await newPerson()
    const asked = await browser.open(linkOn(await browser.open(at(path))))
    const page = await signInAt(browser, asked, bob)
    assert.deepEqual([page.status, page.title], [410, 'Nothing to continue'])
    assert.ok(!page.text.includes('package_upload'))
    assert.equal(await count(), 1)
    const mine = newBrowser()
    mine.cookies.set(`ratafia-console-kept-${secret.slice(0, 8)}`, secret)
    const again = await mine.open(linkOn(await mine.open(at(path))))
    assert.equal((await signInAt(mine, again)).title, 'Continue with what you entered?')
  })

  test('a kept form expires after half an hour, and the database alone does not reveal it', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const { secret } = await keptIn(browser)
    const [row] = await service.installation.database.query
      .selectFrom('kept_form')
      .selectAll()
      .where('account_id', '=', ada.id)
      .execute()
    const bytes = Buffer.concat([row?.id ?? Buffer.alloc(0), row?.sealed ?? Buffer.alloc(0)])
    assert.ok(!bytes.includes('package_upload') && !bytes.includes(Buffer.from(secret, 'base64url')))
    service.advance(KEPT_MS)
    const page = await browser.open(at(`/console/go-on?form=${secret.slice(0, 8)}`))
    assert.equal(page.title, 'Nothing to continue')
  })

  test('only one of two simultaneous requests gets a kept form', async () => {
    const browser = newBrowser()
    await signIn(browser)
    const { secret } = await keptIn(browser)
    const url = at(`/console/go-on?form=${secret.slice(0, 8)}`)
    const copies = Array.from({ length: 8 }, () => {
      const copy = newBrowser()
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
      return copy
    })
    const pages = await Promise.all(copies.map((copy) => copy.open(url)))
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 410)])
  })

  test('keeps at most ten forms of an account, none over 16 KiB, and none for other pages', async () => {
    for (let form = 0; form < 12; form++) await keptIn(newBrowser())
    assert.equal(await count(), 10)
    const keep = (path: string, value: string) =>
      keepForm({ accountId: ada.id, path, fields: [['a', value]] }, service.installation)
    assert.equal(await keep('/console/tokens/new', 'x'.repeat(16 * 1024)), undefined)
    assert.equal(await keep('/identity/login', 'x'), undefined)
    assert.equal(await keep('//evil.example.org/console/', 'x'), undefined)
    const page = await newBrowser().open(at('/console/sign-in?recent=1&kept=nothing&to=/console/tokens/new'))
    assert.match(page.text, /too large to keep/)
  })

  test('removes kept forms with their account, and after a while', async () => {
    await keptIn(newBrowser())
    const { keptForms } = service.installation
    assert.equal(await keptForms.removeExpired(service.now(), 100), 0)
    const later = new Date(service.now().getTime() + KEPT_MS + 1)
    assert.ok((await keptForms.removeExpired(later, 100)) > 0)
    assert.equal(await count(), 0)
  })

  test('a management token that was created elsewhere works in the cookie', async () => {
    const browser = newBrowser()
    browser.cookies.set(SESSION, await managementToken(service, ada))
    const page = await browser.open(at('/console/tokens'))
    assert.equal(page.status, 200)
    assert.equal((await signOut(browser, { csrf: csrfOn(page) })).title, 'Signed out')
  })

  test('an invalid cookie is not a session, and signing out and in still work', async () => {
    for (const value of ['x', 'AAAA', '"', 'x'.repeat(3_000)]) {
      const browser = newBrowser()
      browser.cookies.set(SESSION, value)
      assert.equal((await browser.open(at('/console/sign-in'))).title, 'Sign in')
      assert.equal((await browser.open(at('/console/go-on?form=aaaaaaaa'))).status, 410)
    }
  })

  test('every page of a sign-in has the headers of all pages, and is not stored', async () => {
    const browser = newBrowser()
    for (const path of ['/console/signed-in', '/console/sign-in?kept=nothing&recent=1', '/console/go-on']) {
      browser.cookies.set(SESSION, 'x')
      const { headers } = await browser.open(at(path))
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'none'; .*frame-ancestors 'none'/,
      )
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
    }
  })
})
