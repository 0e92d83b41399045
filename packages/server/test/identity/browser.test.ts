/** Logging in with a browser over HTTP, with a cookie jar and forms, on every database. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { PERMISSIONS } from '@ratafia/api'
import { addThirdPartyCaveat, mint, verify } from '@ratafia/macaroon'
import { dischargeAll, encodeCaveatId, type KeyPair } from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import { formatSummary } from '../../src/third-party/request-summary.ts'
import { STYLE_HASH } from '../../src/web/style.ts'
import {
  addAccount,
  addUser,
  disableAccount,
  enableAccount,
  PASSWORD,
  setPassword,
} from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  answer,
  Browser,
  bakeryMacaroonOf,
  type Caveat,
  caveatFor,
  type IdentityWorld,
  identityWorld,
  type Page,
  postDischarge,
  type RunningIdentity,
  startIdentity,
  stranger,
} from '../support/identity.ts'

const summary = formatSummary({
  service: 'https://store.example.org',
  permissions: ['package_access', 'package_upload'],
  channels: ['latest/*'],
  packages: null,
  storeIds: null,
  expires: new Date('2027-11-20T10:00:00.000Z'),
  description: 'CI <b>of</b> "bob"\u202e',
})
const USERID = `need-declared userid is-authenticated-userid for ${summary}`

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  let identity: RunningIdentity
  let username: string
  let account: Account

  interface Login {
    readonly caveat: Caveat
    readonly visit: string
    readonly wait: string
  }

  const startLogin = async (condition = USERID, headers: Record<string, string> = {}): Promise<Login> => {
    const caveat = await caveatFor(world.keyring, condition)
    const { body } = await postDischarge(identity.location, caveat, undefined, { headers })
    const { VisitURL: visit, WaitTokenURL: wait } = body.Info.InteractionMethods['browser-window']
    return { caveat, visit, wait }
  }
  /** Returns the condition of a request for everything, unless `limits` have less. */
  const requesting = (limits: Partial<Parameters<typeof formatSummary>[0]>) => {
    const all = { service: 's', permissions: null, channels: null, packages: null, storeIds: null }
    const text = formatSummary({ ...all, expires: undefined, description: undefined, ...limits })
    return `is-authenticated-userid for ${text}`
  }
  const browserAt = (address?: string) =>
    new Browser(address === undefined ? {} : { 'x-forwarded-for': address })
  const signIn = async (browser: Browser, visit: string, password = PASSWORD): Promise<Page> =>
    browser.submit(await browser.open(visit), 'login', { username, password })
  const approve = async (browser: Browser, visit: string) =>
    browser.submit(await signIn(browser, visit), 'confirm', { decision: 'approve' })
  const decided = async (page: Page) => {
    assert.equal(page.status, 200)
    return page.title
  }

  before(async () => {
    world = await identityWorld(await open())
    identity = await startIdentity(world, { waitPatience: 20_000 })
  })
  after(() => identity.app.close())
  beforeEach(async () => {
    account = await addUser(world)
    username = account.username
  })

  test('a user signs in, sees the request, approves it, and the waiting client gets its discharge', async () => {
    const rootKey = randomBytes(32)
    const caveatKey = randomBytes(24)
    const [discharger] = await world.keyring.dischargerKeyPairs()
    const root = addThirdPartyCaveat(mint({ rootKey, id: 'root', location: 'store' }), {
      rootKey: caveatKey,
      id: encodeCaveatId({
        version: 2,
        condition: USERID,
        rootKey: caveatKey,
        thirdPartyPublicKey: discharger.publicKey,
        firstParty: await world.keyring.sealingKeyPair(),
      }),
      location: identity.location,
    })
    const slice = await dischargeAll(
      { macaroon: root, version: 2, namespace: new Map([['std', '']]), caveatData: new Map() },
      async ({ id, caveat: payload, location }) => {
        const first = await postDischarge(location, { id, payload })
        const methods = first.body.Info.InteractionMethods['browser-window']
        const waiting = fetch(methods.WaitTokenURL).then(answer)
        const browser = browserAt()
        const signInPage = await browser.open(methods.VisitURL)
        assert.equal(signInPage.title, 'Sign in')
        const confirm = await browser.submit(signInPage, 'login', { username, password: PASSWORD })
        assert.equal(confirm.title, 'Approve this login?')
        const done = await browser.submit(confirm, 'confirm', { decision: 'approve' })
        assert.equal(done.title, 'Login approved')
        const token = await waiting
        assert.equal(token.status, 200)
        assert.equal(token.headers.get('content-type'), 'application/json')
        // There is no plain `token`, because py-macaroon-bakery reads it first and fails.
        assert.deepEqual(Object.keys(token.body).sort(), ['kind', 'token64'])
        assert.equal(token.body.kind, 'login')
        assert.equal(Buffer.from(token.body.token64, 'base64').toString('base64'), token.body.token64)
        const discharged = await postDischarge(location, { id, payload }, token.body)
        assert.equal(discharged.status, 200)
        assert.equal(discharged.headers.get('content-type'), 'application/json')
        return bakeryMacaroonOf(discharged)
      },
    )
    assert.deepEqual(
      verify(slice, rootKey).map(({ condition }) => condition),
      [
        `declared userid ${account.id}`,
        `declared login ${world.clock().getTime()} 0`,
        'time-before 2026-11-21T10:00:00.000000Z',
      ],
    )
  })

  test('is-authenticated-user declares the username, to its own service also the id, and an unknown key as empty', async () => {
    const { caveat, visit, wait } = await startLogin('need-declared username,email is-authenticated-user')
    await approve(browserAt(), visit)
    const { body } = await answer(await fetch(wait))
    const macaroon = bakeryMacaroonOf(await postDischarge(identity.location, caveat, body)).macaroon
    assert.deepEqual(
      macaroon.caveats
        .map(({ id }) => Buffer.from(id).toString())
        .filter((text) => text.startsWith('declared')),
      [
        `declared username ${username}`,
        `declared userid ${account.id}`,
        `declared login ${world.clock().getTime()} 0`,
        'declared email ',
      ],
    )
  })

  for (const version of [1, 3] as const) {
    test(`a version ${version} caveat gets a version ${version} discharge, by token and token64`, async () => {
      const caveat = await caveatFor(world.keyring, 'need-declared userid is-authenticated-userid', {
        version,
      })
      const first = await postDischarge(identity.location, caveat)
      const { VisitURL, WaitTokenURL } = first.body.Info.InteractionMethods['browser-window']
      await approve(browserAt(), VisitURL)
      const { body } = await answer(await fetch(WaitTokenURL))
      const bytes = Buffer.from(body.token64, 'base64')
      const { kind } = body
      for (const [how, token] of [
        ['form', { kind, token: bytes.toString() }],
        ['form', { kind, token64: bytes.toString('base64') }],
        ['query', { kind, token64: bytes.toString('base64url') }],
      ] as const) {
        const discharged = bakeryMacaroonOf(await postDischarge(identity.location, caveat, token, { how }))
        assert.equal(discharged.version, version)
        assert.deepEqual(Buffer.from(discharged.macaroon.id), Buffer.from(caveat.id))
        assert.equal(discharged.macaroon.location, '')
      }
    })
  }

  test('the confirmation shows address, user agent, service, permissions in words and by name, limits, warning', async () => {
    const { visit } = await startLogin(USERID, {
      'user-agent': 'craft-store <script>',
      'x-forwarded-for': '198.51.100.7',
    })
    const { text } = await signIn(browserAt('198.51.100.7'), visit)
    for (const shown of [
      ...['198.51.100.7', 'craft-store &lt;script&gt;', 'https://store.example.org', 'View your packages'],
      ...['(package_access)', 'Upload new revisions', '(package_upload)', 'latest/*', 'all of yours'],
      ...['2027-11-20 10:00 UTC', 'CI &lt;b&gt;of&lt;/b&gt; &quot;bob&quot;⟨U+202E⟩'],
      ...['Never approve a login that you did not start yourself', username, 'Some One'],
    ]) {
      assert.ok(text.includes(shown), shown)
    }
    assert.doesNotMatch(text, /not where you are|does not know the requesting service|\u202e|<script/)
  })

  test('shows a request without limits as one for everything', async () => {
    const { visit } = await startLogin(requesting({}))
    assert.match((await signIn(browserAt(), visit)).text, /Do everything that your account can do/)
  })

  test('warns about a token for everything, or for more than 90 days, but not about a limited one', async () => {
    const noticeOn = async (limits: { permissions?: null; days: number }) => {
      const expires = new Date(world.clock().getTime() + limits.days * 86_400_000)
      const permissions = limits.permissions === null ? null : (['package_upload'] as const)
      const { visit } = await startLogin(requesting({ permissions, expires }))
      return /<strong>(This token [^<]*)/.exec((await signIn(browserAt(), visit)).text)?.[1]
    }
    assert.equal(await noticeOn({ days: 90 }), undefined)
    assert.equal(await noticeOn({ days: 91 }), 'This token works for 91 days.')
    const everything = 'This token can do everything that your account can do'
    assert.equal(await noticeOn({ permissions: null, days: 1 }), `${everything}.`)
    assert.equal(await noticeOn({ permissions: null, days: 365 }), `${everything}, and works for 365 days.`)
  })

  test('does not show rows for details that the client did not send', async () => {
    const { visit } = await startLogin(requesting({}), { 'user-agent': '' })
    assert.doesNotMatch((await signIn(browserAt(), visit)).text, /<dt>Description|Calls itself/)
  })

  test('the next field to fill in has the focus', async () => {
    const { visit } = await startLogin()
    const focused = (text: string) =>
      [...text.matchAll(/<input[^>]*id="(\w+)"[^>]* autofocus/g)].map(([, id]) => id)
    const browser = browserAt('203.0.113.77')
    const page = await browser.open(visit)
    assert.deepEqual(focused(page.text), ['username'])
    const again = await browser.submit(page, 'login', { username, password: 'wrong password' })
    assert.deepEqual(focused(again.text), ['password'])
  })

  test('a page that refuses a form links back to the login; a page for an invalid URL does not', async () => {
    const { visit } = await startLogin()
    const did = new URL(visit).searchParams.get('did')
    const browser = browserAt()
    const page = await browser.open(visit)
    const stale = await browser.post(new URL('login', page.url).href, { did: String(did) })
    assert.equal(stale.status, 403)
    const [, href] = /<a href="([^"]*)">Back to your login/.exec(stale.text) ?? []
    assert.equal((await browser.open(new URL(String(href), page.url).href)).title, 'Sign in')
    const doubled = await browser.post(`${new URL('login', page.url).href}?did=x`, { did: String(did) })
    assert.deepEqual([doubled.status, /<a /.test(doubled.text)], [403, false])
    const broken = await browser.open(new URL('login?did=x', page.url).href)
    assert.deepEqual([broken.status, /<a /.test(broken.text)], [400, false])
  })

  test('every permission is shown in words', async () => {
    const { visit } = await startLogin(requesting({ permissions: PERMISSIONS }))
    const page = await signIn(browserAt(), visit)
    for (const permission of PERMISSIONS) assert.ok(page.text.includes(`(${permission})`), permission)
  })

  test('warns about a client in a different network than the browser', async () => {
    const from = (address: string) => startLogin(USERID, { 'x-forwarded-for': address })
    const elsewhere = await signIn(browserAt('198.51.100.8'), (await from('198.51.100.7')).visit)
    assert.match(elsewhere.text, /The program is not where you are/)
    assert.ok(elsewhere.text.includes('198.51.100.8'))
    const home = await signIn(browserAt('2001:db8::2'), (await from('2001:db8::1')).visit)
    assert.doesNotMatch(home.text, /not where you are/)
  })

  test('marks a caveat of an unknown service, because its summary may be false', async () => {
    const caveat = await caveatFor(world.keyring, USERID, { firstParty: stranger() })
    const { body } = await postDischarge(identity.location, caveat)
    const browser = browserAt()
    const signInPage = await browser.open(body.Info.InteractionMethods['browser-window'].VisitURL)
    assert.doesNotMatch(signInPage.text, /store\.example\.org/)
    const confirm = await browser.submit(signInPage, 'login', { username, password: PASSWORD })
    assert.match(confirm.text, /does not know the requesting service/)
  })

  test('trusts a service that is known by its key only under its own URL', async () => {
    const [named, other] = [stranger(), stranger()]
    const knownServices = [{ url: 'https://store.example.org', publicKey: named.publicKey }]
    const running = await startIdentity(world, { knownServices })
    try {
      const confirmation = async (firstParty: KeyPair, condition: string) => {
        const caveat = await caveatFor(world.keyring, condition, { firstParty })
        const { body } = await postDischarge(running.location, caveat)
        return (await signIn(browserAt(), body.Info.InteractionMethods['browser-window'].VisitURL)).text
      }
      const elsewhere = USERID.replace('store.example.org', 'bank.example.org')
      assert.doesNotMatch(await confirmation(named, USERID), /does not know the requesting service/)
      assert.doesNotMatch(
        await confirmation(named, 'is-authenticated-userid'),
        /does not know the requesting service/,
      )
      assert.match(await confirmation(named, elsewhere), /does not know the requesting service/)
      assert.match(await confirmation(other, USERID), /does not know the requesting service/)
    } finally {
      await running.app.close()
    }
  })

  test('pages have a strict policy, and are never stored, framed or sent as referrer', async () => {
    const { visit } = await startLogin()
    const browser = browserAt()
    for (const page of [
      await browser.open(visit),
      await signIn(browser, visit),
      await browser.open(`${identity.location}/login?did=x`),
    ]) {
      const header = (name: string) => page.headers.get(name)
      assert.equal(header('content-type'), 'text/html; charset=utf-8')
      assert.equal(
        header('content-security-policy'),
        `default-src 'none'; style-src '${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      )
      assert.equal(header('cache-control'), 'no-store')
      assert.equal(header('referrer-policy'), 'no-referrer')
      assert.equal(header('x-content-type-options'), 'nosniff')
      assert.equal(header('x-frame-options'), 'DENY')
      assert.equal(header('cross-origin-opener-policy'), 'same-origin')
      assert.doesNotMatch(page.text, /<script|https?:\/\/(?!store\.example)/)
    }
  })

  test('the sign-in cookie is HttpOnly, SameSite=Lax, only for this path, and Secure under https', async () => {
    const { visit } = await startLogin()
    const browser = browserAt()
    await signIn(browser, visit)
    const cookie = browser.setCookies.find((line) => line.startsWith('ratafia-sign-in='))
    assert.match(
      String(cookie),
      /^ratafia-sign-in=[\w-]{43}; Max-Age=43200; Path=\/identity; HttpOnly; SameSite=Lax$/,
    )
    const rows = await world.database.query.selectFrom('sign_in_session').selectAll().execute()
    const value = Buffer.from(String(browser.cookies.get('ratafia-sign-in')), 'base64url')
    assert.ok(
      rows.every(({ id_hash }) => !value.equals(id_hash)),
      'the cookie itself is not stored',
    )

    const { app } = await startIdentity(world, { location: 'https://id.example.org/identity' })
    const did = new URL(visit).searchParams.get('did')
    const page = await app.inject({ url: `/identity/login?did=${did}` })
    assert.match(
      String(page.headers['set-cookie']),
      /^__Secure-ratafia-form=[^;]+; Path=\/identity; HttpOnly; Secure; SameSite=Lax$/,
    )
    await app.close()
  })

  test('the next login in a signed-in browser skips the password, never the confirmation', async () => {
    const browser = browserAt()
    await approve(browser, (await startLogin()).visit)
    const { visit, wait, caveat } = await startLogin()
    const page = await browser.open(visit)
    assert.equal(page.title, 'Approve this login?')
    await browser.submit(page, 'confirm', { decision: 'approve' })
    const { body } = await answer(await fetch(wait))
    assert.equal((await postDischarge(identity.location, caveat, body)).status, 200)
  })

  test('“Not you?” signs out, and the cookie becomes invalid', async () => {
    const browser = browserAt()
    const { visit } = await startLogin()
    const confirm = await signIn(browser, visit)
    const cookie = browser.cookies.get('ratafia-sign-in')
    assert.equal((await browser.submit(confirm, 'logout')).title, 'Sign in')
    assert.equal(browser.cookies.has('ratafia-sign-in'), false)
    browser.cookies.set('ratafia-sign-in', String(cookie))
    assert.equal((await browser.open(visit)).title, 'Sign in')
  })

  test('a sign-in lasts twelve hours', async () => {
    const browser = browserAt()
    await approve(browser, (await startLogin()).visit)
    world.clock.advance(12 * 3_600_000 - 1)
    assert.equal((await browser.open((await startLogin()).visit)).title, 'Approve this login?')
    world.clock.advance(1)
    assert.equal((await browser.open((await startLogin()).visit)).title, 'Sign in')
  })

  test('a wrong password, an unknown name and an account without password look the same', async () => {
    const { visit } = await startLogin()
    const bare = `${username}-x`
    await addAccount({ username: bare, email: 'x@example.org', name: 'X' }, world)
    const texts: string[] = []
    for (const [name, password] of [
      [username, 'wrong password'],
      ['unknown-name', PASSWORD],
      [bare, ''],
      ['', ''],
    ]) {
      const browser = browserAt(`203.0.113.${texts.length}`)
      const again = await browser.submit(await browser.open(visit), 'login', { username: name, password })
      assert.deepEqual([again.status, again.title], [403, 'Sign in'])
      assert.match(again.text, /<title>Error: Sign in/)
      assert.match(
        again.text,
        /role="alert" id="problem">The username, e-mail address or password is wrong\./,
      )
      assert.equal(browser.cookies.has('ratafia-sign-in'), false)
      // The page repeats the typed name, and only that decides about the focus.
      texts.push(again.text.replace(/value="[^"]*"| autofocus/g, ''))
    }
    assert.equal(new Set(texts).size, 1)
  })

  test('accepts capitals and spaces around a username', async () => {
    const { visit } = await startLogin()
    const browser = browserAt()
    const page = await browser.submit(await browser.open(visit), 'login', {
      username: ` ${username.toUpperCase()} `,
      password: PASSWORD,
    })
    assert.equal(page.title, 'Approve this login?')
  })

  test('a rejection is final, and the client gets it', async () => {
    const { visit, wait } = await startLogin()
    const waiting = fetch(wait).then(answer)
    const browser = browserAt()
    const page = await browser.submit(await signIn(browser, visit), 'confirm', { decision: 'refuse' })
    assert.equal(await decided(page), 'Login rejected')
    const told = await waiting
    assert.deepEqual([told.status, told.body.Code], [401, 'permission denied'])
    assert.match(told.body.Message, /rejected in the browser/)
    assert.equal((await answer(await fetch(wait))).status, 401)
  })

  test('a login is decided once; a second decision, by any user, only shows the first', async () => {
    const { visit, wait } = await startLogin()
    const [one, two] = [browserAt(), browserAt()]
    const [pageOne, pageTwo] = [await signIn(one, visit), await signIn(two, visit)]
    await one.submit(pageOne, 'confirm', { decision: 'approve' })
    assert.equal(
      await decided(await two.submit(pageTwo, 'confirm', { decision: 'refuse' })),
      'Login approved',
    )
    assert.equal(await decided(await two.open(visit)), 'Login approved')
    assert.equal((await answer(await fetch(wait))).status, 200)
  })

  test('only one of fifty simultaneous decisions counts', async () => {
    const { visit } = await startLogin()
    const browser = browserAt()
    const page = await signIn(browser, visit)
    const pages = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        browser.submit(page, 'confirm', { decision: index % 2 === 0 ? 'approve' : 'refuse' }),
      ),
    )
    assert.equal(new Set(pages.map(({ title }) => title)).size, 1)
  })

  test('a form without a CSRF token, with another browser’s, or from another site has no effect', async () => {
    const { visit, wait } = await startLogin()
    const [browser, other] = [browserAt(), browserAt()]
    const page = await signIn(browser, visit)
    const foreign = (await other.open(visit)).forms[0]?.fields['csrf']
    const form = page.forms.find(({ action }) => action === 'confirm')
    assert.ok(form && foreign)
    for (const action of ['login', 'confirm', 'logout']) {
      for (const csrf of [undefined, '', 'x', foreign]) {
        const { csrf: _, ...shown } = form.fields as Record<string, string>
        const fields = { ...shown, decision: 'approve', username, password: PASSWORD }
        const sent = csrf === undefined ? fields : { ...fields, csrf }
        const refused = await browser.post(new URL(action, page.url).href, sent)
        assert.equal(refused.status, 403, `${action} ${csrf}`)
        assert.match(refused.text, /out of date/)
      }
      const crossSite = await browser.post(
        new URL(action, page.url).href,
        { ...form.fields, decision: 'approve', username, password: PASSWORD },
        { 'sec-fetch-site': 'cross-site' },
      )
      assert.equal(crossSite.status, 403)
      assert.match(crossSite.text, /another site/)
    }
    const twice = `${new URLSearchParams(form.fields)}&csrf=x&decision=approve`
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const doubled = await fetch(new URL('confirm', page.url), { method: 'POST', body: twice, headers })
    assert.equal(doubled.status, 400)
    assert.equal((await browser.open(visit)).title, 'Approve this login?', 'still undecided, still signed in')
    await browser.submit(page, 'confirm', { decision: 'approve' })
    assert.equal((await fetch(wait)).status, 200)
  })

  test('a confirmation page is only valid for its own login and account', async () => {
    const [mine, theirs] = [await startLogin(), await startLogin()]
    const browser = browserAt()
    const page = await signIn(browser, mine.visit)
    const did = String(new URL(theirs.visit).searchParams.get('did'))
    const swapped = await browser.submit(page, 'confirm', { did, decision: 'approve' })
    assert.equal(swapped.status, 403)
    assert.match(swapped.text, /out of date/)
    // Meanwhile another user signed in, in another tab of the same browser.
    const [first] = [username]
    await addUser(world, `${first}-b`)
    username = `${first}-b`
    browser.cookies.delete('ratafia-sign-in')
    await signIn(browser, mine.visit)
    assert.equal((await browser.submit(page, 'confirm', { decision: 'approve' })).status, 403)
    for (const { visit } of [mine, theirs])
      assert.equal((await browser.open(visit)).title, 'Approve this login?')
  })

  test('refuses a changed visit URL, and sealed texts for a different purpose', async () => {
    const { visit, wait, caveat } = await startLogin()
    const base = `${identity.location}/login?did=`
    const did = String(new URL(visit).searchParams.get('did'))
    const waitDid = String(new URL(wait).searchParams.get('did'))
    const browser = browserAt()
    for (let i = 0; i < did.length; i += 37) {
      const other = did[i] === 'A' ? 'B' : 'A'
      const page = await browser.open(base + did.slice(0, i) + other + did.slice(i + 1))
      assert.equal(page.status, 400, String(i))
      assert.match(page.text, /not from this identity service/)
    }
    for (const text of ['', did.slice(0, -1), `${did}A`, waitDid, '%00']) {
      assert.equal((await browser.open(base + text)).status, 400, text)
    }
    const wrong = await answer(await fetch(`${identity.location}/wait-token?did=${did}`))
    assert.deepEqual([wrong.status, wrong.body.Code], [400, 'bad request'])
    for (const token of [did, waitDid]) {
      assert.equal((await postDischarge(identity.location, caveat, { kind: 'login', token })).status, 401)
    }
  })

  test('the visit URL alone never gives the token', async () => {
    const { visit } = await startLogin()
    const browser = browserAt()
    const page = await approve(browser, visit)
    const other = await startLogin()
    const token = String(new URL(other.wait).searchParams.get('did'))
    assert.doesNotMatch(page.text, /wait-token/)
    assert.ok(!page.text.includes(token))
  })

  test('a login token replayed with a different caveat is refused; with its own it works again', async () => {
    const [one, two] = [await startLogin(), await startLogin()]
    await approve(browserAt(), one.visit)
    const { body } = await answer(await fetch(one.wait))
    const other = await postDischarge(identity.location, two.caveat, body)
    assert.deepEqual([other.status, other.body.Code], [401, 'permission denied'])
    assert.match(other.body.Message, /not for this caveat/)
    for (let i = 0; i < 2; i++)
      assert.equal((await postDischarge(identity.location, one.caveat, body)).status, 200)
    const token = Buffer.from(body.token64, 'base64').toString()
    const changed = { kind: 'login', token: token.replace(/..$/, (end) => (end === 'AA' ? 'BA' : 'AA')) }
    assert.equal((await postDischarge(identity.location, one.caveat, changed)).status, 401)
  })

  test('the payload distinguishes two caveats with the same v3 short id', async () => {
    const plain = 'need-declared userid is-authenticated-userid'
    const [one, two] = [
      await caveatFor(world.keyring, plain, { version: 3 }),
      await caveatFor(world.keyring, plain, { version: 3 }),
    ]
    const { body } = await postDischarge(identity.location, one)
    const { VisitURL, WaitTokenURL } = body.Info.InteractionMethods['browser-window']
    await approve(browserAt(), VisitURL)
    const token = (await answer(await fetch(WaitTokenURL))).body
    assert.equal((await postDischarge(identity.location, two, token)).status, 401)
    assert.equal((await postDischarge(identity.location, one, token)).status, 200)
  })

  test('a login token is valid for five minutes after the confirmation', async () => {
    const { caveat, visit, wait } = await startLogin()
    await approve(browserAt(), visit)
    const { body } = await answer(await fetch(wait))
    world.clock.advance(5 * 60_000)
    const late = await postDischarge(identity.location, caveat, body)
    assert.match(late.body.Message, /token has expired/)
  })

  test('the token can be fetched again for a minute, and then the login has expired', async () => {
    const { visit, wait } = await startLogin()
    await approve(browserAt(), visit)
    for (let i = 0; i < 3; i++) {
      assert.equal((await fetch(wait)).status, 200)
      world.clock.advance(19_999)
    }
    world.clock.advance(1_000)
    const late = await answer(await fetch(wait))
    assert.deepEqual([late.status, late.body.Code], [401, 'permission denied'])
  })

  test('an expired login can be neither confirmed nor waited for', async () => {
    const { visit, wait } = await startLogin()
    const browser = browserAt()
    const page = await signIn(browser, visit)
    world.clock.advance(30 * 60_000)
    const expired = await browser.submit(page, 'confirm', { decision: 'approve' })
    assert.deepEqual([expired.status, expired.title], [410, 'Login expired'])
    const told = await answer(await fetch(wait))
    assert.deepEqual([told.status, told.body.Code], [401, 'permission denied'])
    assert.match(told.body.Message, /expired/)
  })

  test('removes expired rows, but a decision only after its visit URL has expired', async () => {
    const { visit } = await startLogin()
    const browser = browserAt()
    await approve(browser, visit)
    const count = async (table: 'completed_login' | 'sign_in_session') =>
      (
        await world.database.query
          .selectFrom(table)
          .selectAll()
          .where('account_id', '=', account.id)
          .execute()
      ).length
    const forgetExpired = async () => {
      await world.completedLogins.removeExpired(world.clock(), 500)
      await world.signInSessions.removeExpired(world.clock(), 500)
    }
    world.clock.advance(29 * 60_000)
    await forgetExpired()
    assert.equal(await count('completed_login'), 1)
    world.clock.advance(2 * 60_000)
    await forgetExpired()
    assert.deepEqual([await count('completed_login'), await count('sign_in_session')], [0, 1])
    assert.equal((await browser.open(visit)).title, 'Login expired')
    world.clock.advance(12 * 3_600_000)
    await forgetExpired()
    assert.equal(await count('sign_in_session'), 0)
  })

  test('refuses a disabled account at every step: sign-in, session, confirmation, discharge', async () => {
    const browser = browserAt()
    const { caveat, visit, wait } = await startLogin()
    const page = await signIn(browser, visit)

    await disableAccount(username, world)
    assert.equal((await browser.submit(page, 'confirm', { decision: 'approve' })).title, 'Sign in')
    const refused = await signIn(browserAt(), visit)
    assert.equal(refused.status, 403)
    assert.match(refused.text, /This account is disabled/)
    assert.equal((await browser.open(visit)).title, 'Sign in')

    await enableAccount(username, world)
    assert.equal((await browser.open(visit)).title, 'Sign in', 'enabling does not restore a session')
    await approve(browser, visit)
    const { body } = await answer(await fetch(wait))
    await disableAccount(username, world)
    const denied = await postDischarge(identity.location, caveat, body)
    assert.deepEqual([denied.status, denied.body.Code], [401, 'permission denied'])
    assert.match(denied.body.Message, /has been disabled since/)
    await enableAccount(username, world)
    const ended = await postDischarge(identity.location, caveat, body)
    assert.deepEqual([ended.status, ended.body.Code], [401, 'permission denied'])
    assert.match(ended.body.Message, /were invalidated after this one was approved/)
  })

  test('refuses a session of an account that was disabled in the database', async () => {
    const browser = browserAt()
    const { visit } = await startLogin()
    await signIn(browser, visit)
    await world.accounts.disable(account.id, world.clock())
    assert.equal((await browser.open(visit)).title, 'Sign in')
  })

  test('a new password signs out every browser', async () => {
    const browser = browserAt()
    const { visit } = await startLogin()
    await signIn(browser, visit)
    await setPassword({ account: username, password: 'another password' }, world)
    assert.equal((await browser.open(visit)).title, 'Sign in')
  })

  test('writes nothing for a login before a user has signed in', async () => {
    const rows = async () => {
      const { query } = world.database
      const sessions = await query.selectFrom('sign_in_session').selectAll().execute()
      return [sessions.length, (await query.selectFrom('completed_login').selectAll().execute()).length]
    }
    const before = await rows()
    const { visit, wait } = await startLogin()
    const browser = browserAt()
    const page = await browser.open(visit)
    await browser.submit(page, 'login', { username, password: 'wrong password' })
    await browser.post(new URL('confirm', page.url).href, { ...page.forms[0]?.fields, decision: 'approve' })
    const gone = new AbortController()
    const waiting = fetch(wait, { signal: gone.signal }).catch(() => undefined)
    setTimeout(() => gone.abort(), 50)
    await waiting
    assert.deepEqual(await rows(), before)
  })

  test('answers 400 with a page to forms with missing or wrong fields', async () => {
    const { visit } = await startLogin()
    const browser = browserAt()
    const page = await signIn(browser, visit)
    assert.equal((await browser.submit(page, 'confirm', { decision: undefined })).status, 400)
    assert.equal((await browser.submit(page, 'confirm', { decision: 'maybe' })).status, 400)
    const noConsent = { decision: 'approve', consent: undefined }
    assert.equal((await browser.submit(page, 'confirm', noConsent)).status, 400)
    assert.equal((await browser.submit(page, 'confirm', { decision: 'approve', consent: 'x' })).status, 403)
    assert.equal((await browser.submit(page, 'confirm', { decision: 'approve', did: undefined })).status, 400)
    assert.equal((await browser.open(`${identity.location}/login`)).status, 400)
    assert.equal((await browser.open(`${visit}&did=x`)).status, 400)
  })
})
