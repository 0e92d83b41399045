/** Signing in to the console with another identity service: a standalone Ratafia, Candid, and hostile ones. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import { decodeBase64, encodeBase64 } from '@ratafia/macaroon'
import { discharge, encodeBakeryMacaroon, generateKeyPair } from '@ratafia/macaroon/bakery'
import { freePort } from '../../../../tools/test/free-port.ts'
import { addUser, PASSWORD } from '../support/accounts.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import { Browser, type Page } from '../support/identity.ts'
import { manage } from '../support/managers.ts'
import { testService } from '../support/service.ts'
import { standaloneIdentity } from '../support/standalone-identity.ts'

const SESSION = 'ratafia-console'

const port = await freePort()
const elsewhere = `http://127.0.0.1:${port}`
const fakePort = await freePort()
const fakeUrl = `http://127.0.0.1:${fakePort}`

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_IDENTITY_URL: elsewhere })
  const identity = standaloneIdentity(service, port)
  let username: string

  beforeEach(async () => {
    ;({ username } = await addUser(identity().installation))
  })

  const signIn = async (browser: Browser, path = '/console/sign-in?to=/console/tokens'): Promise<Page> => {
    const gone =
      (await browser.goneTo(`${service.baseUrl}${path}`)) ?? assert.fail('the browser was not redirected')
    assert.ok(gone.startsWith(`${elsewhere}/login-redirect/`), gone)
    return browser.submit(await browser.open(gone), 'login', { username, password: PASSWORD })
  }

  test('a standalone Ratafia asks for confirmation, and the browser returns signed in', async () => {
    const browser = new Browser()
    const confirm = await signIn(browser)
    assert.equal(confirm.title, 'Approve this login?')
    assert.ok(confirm.text.includes(`The web site <code>${service.baseUrl}</code>`))
    const back = (await browser.leave(confirm, 'confirm', { decision: 'approve' })) ?? ''
    assert.ok(back.startsWith(`${service.baseUrl}/console/signed-in?code=`), back)
    const page = await browser.open(back)
    assert.equal(page.url, `${service.baseUrl}/console/tokens`)
    const { body } = await manage(service, browser.cookies.get(SESSION) ?? '', 'GET', '/me')
    assert.deepEqual([body.username, body.signed_in.with], [username, 'browser'])
    const csrf = page.forms.find(({ action }) => action === '/console/sign-out')?.fields['csrf'] ?? ''
    const out = await browser.post(`${service.baseUrl}/console/sign-out`, { csrf })
    assert.equal(out.title, 'Signed out')
    assert.ok(out.text.includes(`<a href="${elsewhere}">`))
    assert.match(out.text, /may still be signed in/)
  })

  test('a user who rejects the sign-in there returns without being signed in', async () => {
    const browser = new Browser()
    const back = await browser.leave(await signIn(browser), 'confirm', { decision: 'refuse' })
    const page = await browser.open(back ?? '')
    assert.deepEqual([page.status, page.title], [403, 'Sign-in refused'])
    assert.match(page.text, /rejected at the identity service/)
    assert.equal(browser.cookies.has(SESSION), false)
  })

  test('requires a recent sign-in also there', async () => {
    const browser = new Browser()
    const back = await browser.leave(await signIn(browser), 'confirm', { decision: 'approve' })
    await browser.open(back ?? '')
    service.advance(20 * 60_000)
    // The other identity service may not show the reason, so the console does.
    const asked = await browser.open(`${service.baseUrl}/console/sign-in?recent=1&to=/console/tokens/new`)
    assert.equal(asked.title, 'Confirm that it’s you')
    assert.match(asked.text, /Creating a token requires that you signed in within the last 15 minutes/)
    const [, on = ''] = /class="button primary" href="([^"]*)"/.exec(asked.text) ?? []
    const gone = (await browser.goneTo(`${service.baseUrl}${on.replaceAll('&amp;', '&')}`)) ?? ''
    assert.equal((await browser.open(gone)).title, 'Sign in')
    service.advance(-20 * 60_000)
  })

  const { testOnce } = onOne(kind)
  testOnce('shows a page with a link to try again while the identity service is unavailable', async () => {
    await identity().close()
    const page = await new Browser().open(
      `${service.baseUrl}/console/sign-in?to=/console/tokens&recent=1&go=1`,
    )
    assert.deepEqual([page.status, page.title], [503, 'Sign-in temporarily unavailable'])
    assert.equal(page.headers.get('retry-after'), '1')
    assert.match(page.text, /Nothing was lost/)
    assert.match(page.text, /href="\/console\/sign-in\?to=%2Fconsole%2Ftokens&amp;recent=1"/)
  })
})

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, {
    RATAFIA_IDENTITY_URL: fakeUrl,
    RATAFIA_IDENTITY_CONDITION: 'username',
  })
  const keyPair = generateKeyPair()
  let server: Server
  /** The answers of the service; for missing ones, it answers like Candid. */
  let answers: Partial<Record<'discharge' | 'discharged' | 'token', Answer>> = {}
  type Answer = (request: IncomingMessage, response: ServerResponse, sent: string) => unknown

  before(async () => {
    server = createServer((request, response) => void answer(request, response))
    server.listen(fakePort, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    answers = {}
  })

  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const offering =
    (offered: unknown): Answer =>
    (_request, response) =>
      json(response, 401, {
        Code: 'interaction required',
        Message: 'log in',
        Info: { InteractionMethods: offered },
      })
  const CANDID = {
    'browser-redirect': {
      LoginURL: `${fakeUrl}/login-redirect`,
      DischargeTokenURL: `${fakeUrl}/discharge-token`,
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request)
    if (request.url === '/discharge/info') {
      json(response, 200, { PublicKey: encodeBase64(keyPair.publicKey), Version: 3 })
    } else if (request.url === '/discharge-token') {
      if (answers.token) return void answers.token(request, response, sent)
      assert.equal(request.headers['content-type'], 'application/json')
      const value = Buffer.from(`token of ${JSON.parse(sent).code}`).toString('base64')
      json(response, 200, { token: { kind: 'macaroon', value } })
    } else if (request.url === '/discharge') {
      const form = new URLSearchParams(sent)
      if (form.get('token64') === null)
        return void (answers.discharge ?? offering(CANDID))(request, response, sent)
      if (answers.discharged) return void answers.discharged(request, response, sent)
      assert.equal(form.get('token-kind'), 'macaroon')
      assert.match(Buffer.from(form.get('token64') ?? '', 'base64').toString(), /^token of /)
      json(response, 200, { Macaroon: await dischargedAs('bob', form) })
    } else response.writeHead(404).end()
  }

  const dischargedAs = async (username: string, form: URLSearchParams, more: readonly string[] = []) =>
    encodeBakeryMacaroon(
      await discharge({
        id: decodeBase64(form.get('id64') ?? ''),
        keyPairs: [keyPair],
        check: () => [
          `declared username ${username}`,
          `time-before ${new Date(service.now().getTime() + 86_400_000).toISOString()}`,
          ...more,
        ],
      }),
    )

  /** Begins a sign-in, and returns with a code. */
  async function comeBack(browser: Browser, query = 'to=/console/tokens'): Promise<Page> {
    const gone = new URL(
      (await browser.goneTo(`${service.baseUrl}/console/sign-in?${query}`)) ?? assert.fail(),
    )
    assert.equal(gone.searchParams.get('return_to'), `${service.baseUrl}/console/signed-in`)
    const state = gone.searchParams.get('state') ?? ''
    return browser.open(
      `${service.baseUrl}/console/signed-in?${new URLSearchParams({ code: 'c0de', state })}`,
    )
  }

  test('users who sign in with Candid can view pages', async () => {
    const browser = new Browser()
    const page = await comeBack(browser)
    assert.equal(page.url, `${service.baseUrl}/console/tokens`)
    const { body } = await manage(service, browser.cookies.get(SESSION) ?? '', 'GET', '/me')
    assert.deepEqual([body.username, body.signed_in.with], ['bob', 'unknown'])
  })

  test('explains that Candid does not report the time of the sign-in, if an action requires it', async () => {
    const browser = new Browser()
    const page = await comeBack(browser, 'recent=1&go=1&to=/console/tokens/new')
    assert.equal(page.title, 'More recent sign-in required')
    assert.match(page.text, /does not report when you signed in/)
    assert.equal(page.url.includes('/console/signed-in?'), true)
    // The user is still signed in.
    assert.equal((await manage(service, browser.cookies.get(SESSION) ?? '', 'GET', '/me')).status, 200)
    const kept = await comeBack(new Browser(), 'recent=1&kept=aaaaaaaa&go=1&to=/console/tokens/new')
    assert.match(kept.text, /What you entered was not sent/)
  })

  test('ignores a time of the sign-in that the holder added to a discharge of Candid', async () => {
    answers.discharged = async (_request, response, sent) =>
      json(response, 200, {
        Macaroon: await dischargedAs('bob', new URLSearchParams(sent), [
          `declared signed-in browser ${service.now().toISOString()}`,
        ]),
      })
    const page = await comeBack(new Browser(), 'recent=1&go=1')
    assert.notEqual(page.url, `${service.baseUrl}/console/`)
    assert.ok(page.status === 403 || page.title === 'More recent sign-in required', page.title)
  })

  const NOT_JSON: Answer = (_request, response) => response.writeHead(200).end('<html>')
  /** Returns a valid answer, followed by a megabyte of white space. */
  const huge = (status: number, body: (sent: string) => unknown): Answer => {
    return async (_request, response, sent) => {
      response.on('error', () => undefined)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(`${JSON.stringify(await body(sent))}${' '.repeat(1024 * 1024)}`)
    }
  }
  const REDIRECT: Answer = (_request, response) =>
    response.writeHead(307, { location: `${fakeUrl}/discharge-token` }).end()
  const FAILS: Answer = (_request, response) => json(response, 500, { Code: 'internal', Message: 'x' })
  const BREAKS: Answer = (request) => request.socket.destroy()
  const EMPTY: Answer = (_request, response) => json(response, 200, {})
  const LIST: Answer = (_request, response) => json(response, 200, [])
  const BYTES: Answer = (_request, response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0x7d]))

  const offer = (offered: unknown): Answer => offering({ 'browser-redirect': offered })
  const { LoginURL, DischargeTokenURL } = CANDID['browser-redirect']

  const BEFORE: Readonly<Record<string, Answer>> = {
    'answers with a page': NOT_JSON,
    'answers without end': huge(401, () => ({
      Code: 'interaction required',
      Info: { InteractionMethods: CANDID },
    })),
    redirects: REDIRECT,
    fails: FAILS,
    'breaks the connection': BREAKS,
    'answers with nothing': EMPTY,
    'answers with a list': LIST,
    'answers with invalid UTF-8': BYTES,
    'discharges without a login': async (_request, response, sent) =>
      json(response, 200, { Macaroon: await dischargedAs('eve', new URLSearchParams(sent)) }),
    'offers only other login methods': offering({ agent: { 'login-url': fakeUrl } }),
    'offers a string': offer('x'),
    'offers no URLs': offer({}),
    'offers a script': offer({ LoginURL: 'javascript:alert(1)', DischargeTokenURL }),
    'offers a login at another host without TLS': offer({
      LoginURL: 'http://127.0.0.1:9/login',
      DischargeTokenURL,
    }),
    'offers a login with a user in the address': offer({
      LoginURL: 'https://a:b@id.example.org/login',
      DischargeTokenURL,
    }),
    'offers a login with a fragment': offer({ LoginURL: `${LoginURL}#x`, DischargeTokenURL }),
    'offers a very long login address': offer({
      LoginURL: `${LoginURL}/${'x'.repeat(5_000)}`,
      DischargeTokenURL,
    }),
    'wants the code sent to another host': offer({
      LoginURL,
      DischargeTokenURL: 'https://evil.example.org/discharge-token',
    }),
  }
  for (const [what, answer] of Object.entries(BEFORE)) {
    test(`refuses to begin a sign-in at an identity service that ${what}`, async () => {
      answers.discharge = answer
      const browser = new Browser()
      const page = await browser.open(`${service.baseUrl}/console/sign-in`)
      assert.deepEqual([page.status, page.title], [503, 'Sign-in temporarily unavailable'])
      assert.equal(page.headers.get('retry-after'), '1')
      assert.equal(page.headers.get('location'), null)
      assert.equal([...browser.cookies.keys()].length, 0)
      if (what === 'offers only other login methods') assert.match(page.text, /ratafia login/)
    })
  }

  const token =
    (body: unknown): Answer =>
    (_request, response) =>
      json(response, 200, body)
  const AFTER: Readonly<Record<string, readonly ['token' | 'discharged', Answer, number]>> = {
    'answers a code with a page': ['token', NOT_JSON, 503],
    'answers a code without end': [
      'token',
      huge(200, () => ({ token: { kind: 'macaroon', value: 'dG9rZW4gb2YgYw==' } })),
      503,
    ],
    'redirects a code': ['token', REDIRECT, 503],
    'fails at a code': ['token', FAILS, 503],
    'breaks the connection at a code': ['token', BREAKS, 503],
    'does not give a token': ['token', EMPTY, 503],
    'gives a token without a kind': ['token', token({ token: { value: 'eA==' } }), 503],
    'gives a token that is not base64': ['token', token({ token: { kind: 'x', value: '%' } }), 503],
    'gives a token that is a number': ['token', token({ token: { kind: 'x', value: 1 } }), 503],
    'refuses a code': [
      'token',
      (_r, response) => json(response, 404, { Code: 'not found', Message: '<i>no</i>' }),
      403,
    ],
    'answers a token with a page': ['discharged', NOT_JSON, 503],
    'answers a token without end': [
      'discharged',
      huge(200, async (sent) => ({ Macaroon: await dischargedAs('bob', new URLSearchParams(sent)) })),
      503,
    ],
    'redirects a token': ['discharged', REDIRECT, 503],
    'fails at a token': ['discharged', FAILS, 503],
    'wants another login': ['discharged', offering(CANDID), 503],
    'does not give a macaroon': ['discharged', token({ Macaroon: { c: 1 } }), 503],
    'gives a macaroon for a different caveat': [
      'discharged',
      async (_request, response, sent) => {
        const { Macaroon } = { Macaroon: await dischargedAs('eve', new URLSearchParams(sent)) }
        json(response, 200, { Macaroon: { ...(Macaroon as object), i: 'another', i64: undefined } })
      },
      503,
    ],
    'refuses a token': [
      'discharged',
      (_r, response) => json(response, 401, { Code: 'x', Message: 'no' }),
      403,
    ],
    'declares an empty username': [
      'discharged',
      async (_request, response, sent) =>
        json(response, 200, { Macaroon: await dischargedAs('', new URLSearchParams(sent)) }),
      403,
    ],
  }
  for (const [what, [where, answer, status]] of Object.entries(AFTER)) {
    test(`does not sign in with an identity service that ${what}`, async () => {
      answers[where] = answer
      const browser = new Browser()
      const page = await comeBack(browser)
      assert.equal(page.status, status, page.title)
      assert.equal(page.headers.get('retry-after'), status === 503 ? '1' : null)
      assert.match(page.text, /href="\/console\/sign-in\?to=%2Fconsole%2Ftokens"/)
      assert.ok(!page.text.includes('<i>no'))
      assert.equal(browser.cookies.has(SESSION), false)
    })
  }

  test('gives up on an identity service that never answers', { timeout: 60_000 }, async () => {
    answers.discharge = () => undefined
    const page = await new Browser().open(`${service.baseUrl}/console/sign-in`)
    assert.equal(page.status, 503)
    answers.discharge = (_request, response) => response.writeHead(200).write('{"a":')
    assert.equal((await new Browser().open(`${service.baseUrl}/console/sign-in`)).status, 503)
  })
})
