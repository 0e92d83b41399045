/** Logging in to a web site by redirects, as Candid's clients do, over HTTP on every database. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { KeyPair } from '@ratafia/macaroon/bakery'
import { formatSummary } from '../../src/third-party/request-summary.ts'
import { addUser, PASSWORD, setPassword } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  answer,
  Browser,
  bakeryMacaroonOf,
  type Caveat,
  caveatFor,
  type IdentityWorld,
  identityWorld,
  postDischarge,
  type RunningIdentity,
  startIdentity,
  stranger,
} from '../support/identity.ts'

const SITE = 'https://app.example.org/callback'
const CONSOLE = 'https://store.example.org/console/signed-in'
const STATE = 'a b&c=d'

const conditionFor = (maxAge?: number) =>
  `need-declared userid is-authenticated-userid for ${formatSummary({
    service: 'https://store.example.org',
    permissions: null,
    channels: null,
    packages: null,
    storeIds: null,
    expires: undefined,
    description: undefined,
    ...(maxAge === undefined ? {} : { maxAge }),
  })}`

eachDatabase((_kind, open) => {
  let world: IdentityWorld
  let identity: RunningIdentity
  let username: string

  before(async () => {
    world = await identityWorld(await open())
    identity = await startIdentity(world, {
      consoleReturn: CONSOLE,
      returnTo: [SITE, 'https://app.example.org/auth/', 'http://127.0.0.1:9/cb'],
    })
  })
  after(() => identity.app.close())
  beforeEach(async () => {
    ;({ username } = await addUser(world))
  })

  interface Offer {
    readonly caveat: Caveat
    readonly LoginURL: string
    readonly DischargeTokenURL: string
  }

  async function offered({
    maxAge,
    firstParty,
  }: {
    maxAge?: number
    firstParty?: KeyPair
  } = {}): Promise<Offer> {
    const caveat = await caveatFor(world.keyring, conditionFor(maxAge), firstParty ? { firstParty } : {})
    const { status, body } = await postDischarge(identity.location, caveat)
    assert.equal(status, 401)
    return { caveat, ...body.Info.InteractionMethods['browser-redirect'] }
  }

  /** Adds the parameters to the query, as Candid's Go client does. */
  const loginUrl = ({ LoginURL }: Offer, returnTo = SITE, state: string | undefined = STATE) =>
    `${LoginURL}?${new URLSearchParams({ return_to: returnTo, ...(state === undefined ? {} : { state }) })}`

  const redeem = async ({ DischargeTokenURL }: Offer, body: unknown) =>
    answer(
      await fetch(DischargeTokenURL, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )

  const signIn = async (browser: Browser, offer: Offer, returnTo?: string) =>
    browser.submit(await browser.open(loginUrl(offer, returnTo)), 'login', { username, password: PASSWORD })

  /** Returns the URL that the browser returns to after the decision. */
  async function sentBack(browser: Browser, offer: Offer, decision = 'approve'): Promise<URL> {
    const page = await signIn(browser, offer)
    assert.equal(page.title, 'Approve this login?')
    return new URL(
      (await browser.leave(page, 'confirm', { decision })) ?? assert.fail('the browser was not redirected'),
    )
  }

  const codeFor = async (browser: Browser, offer: Offer): Promise<string> =>
    (await sentBack(browser, offer)).searchParams.get('code') ?? assert.fail('no code')

  test('a site sends the browser, gets it back with a code, and exchanges the code for a token that discharges', async () => {
    const offer = await offered()
    assert.equal(offer.DischargeTokenURL, `${identity.location}/discharge-token`)
    // Launchpad always adds `?` to the URL, others check for one first.
    assert.equal(new URL(offer.LoginURL).search, '')
    const browser = new Browser()
    const asked = await browser.open(loginUrl(offer))
    assert.equal(asked.status, 200)
    assert.match(
      asked.text,
      /The web site <strong>https:\/\/app\.example\.org<\/strong> asks you to log in to/,
    )
    const confirm = await browser.submit(asked, 'login', { username, password: PASSWORD })
    assert.match(confirm.text, /The web site <code>https:\/\/app\.example\.org<\/code>/)
    assert.doesNotMatch(confirm.text, /A program at/)
    // Chromium checks where the answer to a form redirects.
    assert.match(
      confirm.headers.get('content-security-policy') ?? '',
      /; form-action 'self' https:\/\/app\.example\.org;/,
    )
    const back = new URL((await browser.leave(confirm, 'confirm', { decision: 'approve' })) ?? '')
    assert.equal(`${back.origin}${back.pathname}`, SITE)
    assert.deepEqual([...back.searchParams.keys()], ['code', 'state'])
    assert.equal(back.searchParams.get('state'), STATE)
    const token = await redeem(offer, { code: back.searchParams.get('code') })
    assert.equal(token.status, 200, JSON.stringify(token.body))
    assert.equal(token.headers.get('content-type'), 'application/json')
    assert.equal(token.headers.get('cache-control'), 'no-store')
    assert.deepEqual(Object.keys(token.body), ['token'])
    const { kind, value } = token.body.token
    // Go encodes bytes like this.
    assert.equal(Buffer.from(value, 'base64').toString('base64'), value)
    const discharged = await postDischarge(identity.location, offer.caveat, { kind, token64: value })
    assert.equal(discharged.status, 200, JSON.stringify(discharged.body))
    const [declared = ''] = bakeryMacaroonOf(discharged).macaroon.caveats.map(({ id }) =>
      Buffer.from(id).toString(),
    )
    const account = await world.accounts.findByUsername(username as never)
    assert.equal(declared, `declared userid ${account?.id}`)
    // The login is decided, and redirects back once.
    assert.match((await browser.open(confirm.url)).text, /Return to <a href="https:\/\/app\.example\.org">/)
  })

  test('a code works once, even for twenty simultaneous uses', async () => {
    const offer = await offered()
    const code = await codeFor(new Browser(), offer)
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(offer, { code })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [
      200,
      ...Array.from({ length: 19 }, () => 401),
    ])
    const again = await redeem(offer, { code })
    assert.deepEqual([again.status, again.body.Message], [401, 'The code was used before. Log in again.'])
  })

  test('a code works for a minute', async () => {
    const offer = await offered()
    const late = await codeFor(new Browser(), offer)
    world.clock.advance(60_000)
    const { status, body } = await redeem(offer, { code: late })
    assert.deepEqual([status, body.Code], [401, 'permission denied'])
    assert.match(body.Message, /has expired/)
    const inTime = await codeFor(new Browser(), await offered())
    world.clock.advance(59_999)
    assert.equal((await redeem(offer, { code: inTime })).status, 200)
  })

  test('the token is only for its caveat, and for five minutes', async () => {
    const offer = await offered()
    const token = (await redeem(offer, { code: await codeFor(new Browser(), offer) })).body.token
    const other = await offered()
    const sent = { kind: token.kind, token64: token.value }
    assert.equal((await postDischarge(identity.location, other.caveat, sent)).status, 401)
    assert.equal((await postDischarge(identity.location, offer.caveat, sent)).status, 200)
    world.clock.advance(5 * 60_000)
    assert.equal((await postDischarge(identity.location, offer.caveat, sent)).status, 401)
  })

  test('refuses logins that were revoked after the browser returned', async () => {
    const offer = await offered()
    const code = await codeFor(new Browser(), offer)
    world.clock.advance(1)
    await setPassword({ account: username, password: 'another good password' }, world)
    const { body } = await redeem(offer, { code })
    const sent = { kind: body.token.kind, token64: body.token.value }
    assert.equal((await postDischarge(identity.location, offer.caveat, sent)).status, 401)
  })

  test('a rejected login returns with an error, without a code', async () => {
    const back = await sentBack(new Browser(), await offered(), 'refuse')
    assert.deepEqual(Object.fromEntries(back.searchParams), {
      error: 'The login was rejected.',
      error_code: 'access_denied',
      state: STATE,
    })
  })

  test('keeps the parameters of the site’s URL, and does not require a state', async () => {
    const returnTo =
      'https://app.example.org/auth/candid?starting_url=https%3A%2F%2Fx.example.org%2F%3Fa%3Db+c'
    const offer = await offered()
    const browser = new Browser()
    const page = await browser.open(`${offer.LoginURL}?${new URLSearchParams({ return_to: returnTo })}`)
    const confirm = await browser.submit(page, 'login', { username, password: PASSWORD })
    const back = (await browser.leave(confirm, 'confirm', { decision: 'approve' })) ?? ''
    assert.ok(back.startsWith(`${returnTo}&code=`), back)
    assert.equal(new URL(back).searchParams.has('state'), false)
  })

  for (const returnTo of [
    ...['https://evil.example.org/callback', 'http://app.example.org/callback'],
    ...['https://app.example.org:8443/callback', 'https://app.example.org/callback/'],
    ...['https://app.example.org/callbacks', 'https://app.example.org/auth'],
    ...['https://app.example.org/auth/../callbacks', 'https://app.example.org/auth/%2e%2e/callbacks'],
    ...['https://app.example.org/auth/..%2fcallbacks', 'https://app.example.org/auth//evil.example.org'],
    ...['https://app.example.org/auth/\\evil.example.org'],
    ...['https://app.example.org@evil.example.org/callback', 'https://user@app.example.org/callback'],
    ...['https://app.example.org.evil.example.org/callback', 'https://app.example.org/callback#top'],
    ...['https://app.example.org/callback#', 'https://app.example.org/callback?code=1'],
    ...['https://app.example.org/callback?x=1&%73tate=2', 'HTTPS://app.example.org/callback'],
    ...[' https://app.example.org/callback', 'https://app.example.org/call\tback'],
    ...['//app.example.org/callback', '/callback', 'javascript:alert(1)'],
    ...[`https://app.example.org/auth/${'a'.repeat(1024)}`, `${CONSOLE}/`, `${CONSOLE}?to=x`],
    ...['https://store.example.org/console/', 'http://127.0.0.1:10/cb', ''],
  ]) {
    test(`never redirects to ${JSON.stringify(returnTo.slice(0, 80))}`, async () => {
      const browser = new Browser()
      const page = await browser.open(loginUrl(await offered(), returnTo))
      assert.deepEqual([page.status, page.title], [400, 'Invalid request'])
      assert.match(page.text, returnTo === '' ? /is missing/ : /RATAFIA_IDENTITY_RETURN_TO/)
      assert.equal(page.headers.get('location'), null)
      assert.ok(!page.text.includes('evil.example.org'))
    })
  }

  test('shows an error page for a forged URL, or a state that is too long', async () => {
    const offer = await offered()
    for (const [url, message] of [
      [
        `${identity.location}/login-redirect/AQAA?return_to=${SITE}`,
        /incomplete, or not from this identity service/,
      ],
      [`${offer.LoginURL}x?return_to=${SITE}`, /incomplete, or not from this identity service/],
      [loginUrl(offer, SITE, 's'.repeat(513)), /longer than 512/],
      [`${loginUrl(offer)}&return_to=${SITE}`, /more than once/],
    ] as const) {
      const page = await new Browser().open(url)
      assert.equal(page.status, 400, url)
      assert.match(page.text, message)
    }
  })

  test('refuses a body without a code as a bad request', async () => {
    const offer = await offered()
    for (const body of ['', '{', '[]', '"x"', 'null', {}, { code: 1 }, { code: '' }, 'code=x'])
      assert.equal((await redeem(offer, body)).status, 400, JSON.stringify(body))
    for (const code of ['x', 'AQAA', 'é']) assert.equal((await redeem(offer, { code })).status, 401, code)
    assert.equal((await redeem(offer, { code: 'x'.repeat(5_000) })).status, 400)
  })

  test('sealed texts of a login do not work as codes, and codes do not work as other texts', async () => {
    const offer = await offered()
    const browser = new Browser()
    const did = new URL((await browser.open(loginUrl(offer))).url).searchParams.get('did') ?? ''
    const redirect = offer.LoginURL.split('/').at(-1) ?? ''
    for (const code of [did, redirect]) assert.equal((await redeem(offer, { code })).status, 401)
    const code = await codeFor(browser, await offered())
    for (const text of [code, redirect])
      assert.equal((await browser.open(`${identity.location}/login?did=${text}`)).status, 400)
    const sent = { kind: 'login', token64: Buffer.from(code).toString('base64') }
    assert.equal((await postDischarge(identity.location, offer.caveat, sent)).status, 401)
  })

  test('redirects to our own console without a confirmation, directly or after the sign-in', async () => {
    const browser = new Browser()
    const asked = await browser.open(loginUrl(await offered(), CONSOLE))
    assert.match(
      asked.text,
      /<p>Sign in to the console of <strong>https:\/\/store\.example\.org<\/strong>\.<\/p>/,
    )
    assert.doesNotMatch(asked.text, /asks you to log in/)
    const { pathname, search } = new URL(asked.url)
    const signedIn = await browser.submit(asked, 'login', { username, password: PASSWORD }).catch(String)
    assert.match(String(signedIn), /left for https:\/\/store\.example\.org\/console\/signed-in\?code=/)
    const offer = await offered()
    const gone = new URL((await browser.goneTo(loginUrl(offer, CONSOLE))) ?? '')
    assert.equal(`${gone.origin}${gone.pathname}`, CONSOLE)
    assert.equal(gone.searchParams.get('state'), STATE)
    assert.equal((await redeem(offer, { code: gone.searchParams.get('code') })).status, 200)
    assert.ok(pathname.endsWith('/login') && search.startsWith('?did='))
  })

  test('a caveat that another service sealed needs a confirmation, even for our own console', async () => {
    const page = await signIn(new Browser(), await offered({ firstParty: stranger() }), CONSOLE)
    assert.equal(page.title, 'Approve this login?')
    assert.match(page.text, /does not know the requesting service/)
  })

  test('a login that requires a recent sign-in accepts only one made since it began', async () => {
    const browser = new Browser()
    await signIn(browser, await offered())
    world.clock.advance(60_000)
    const offer = await offered({ maxAge: 0 })
    const asked = await browser.open(loginUrl(offer, CONSOLE))
    assert.equal(asked.title, 'Sign in')
    world.clock.advance(1_000)
    const left = await browser.submit(asked, 'login', { username, password: PASSWORD }).catch(String)
    assert.match(String(left), /left for .*\?code=/)
    assert.match((await browser.goneTo(loginUrl(offer, CONSOLE))) ?? '', /\?code=/)
  })

  test('a login expires after half an hour', async () => {
    const browser = new Browser()
    const page = await browser.open(loginUrl(await offered()))
    world.clock.advance(30 * 60_000)
    const expired = await browser.open(page.url)
    assert.deepEqual([expired.status, expired.title], [410, 'Login expired'])
    assert.match(expired.text, /<a href="https:\/\/app\.example\.org">/)
  })
})
