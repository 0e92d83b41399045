/** Tests `GET /` by Accept: a page for people, JSON for programs. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { call, testService } from '../support/service.ts'

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** Values of `Accept`, and whether they prefer a page. */
const ACCEPTS: readonly (readonly [accept: string | undefined, page: boolean])[] = [
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['application/json, text/html', false],
  ['application/json, */*', false],
  ['application/json, text/html;q=0.9', false],
  ['text/html;q=0.8, application/json', false],
  ['text/html;q=0.5, */*', false],
  ['text/html;q=0', false],
  ['text/html;q=0, */*;q=0.1', false],
  ['application/json, application/hal+json', false],
  ['image/png', false],
  ['nonsense', false],
  [`${'text/plain,'.repeat(2000)}x`, false],
  [FIREFOX, true],
  ['text/html', true],
  ['TEXT/HTML', true],
  ['text/*', true],
  ['text/html, */*', true],
  ['application/json;q=0.9, text/html', true],
  ['application/json;q=0.1, text/html;q=0.2', true],
  ['*/*;q=0.1, text/html;q=0.2', true],
]

const pageOf = async (url: string, accept = FIREFOX) => (await fetch(url, { headers: { accept } })).text()
/** Returns the lines of all commands on the page. */
const commandsOn = (page: string): readonly string[] =>
  [...page.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g)].flatMap(([, text = '']) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .split('\n'),
  )

describe('GET /', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    for (const [accept, isPage] of ACCEPTS) {
      test(`Accept ${accept?.slice(0, 60) ?? 'missing'} gets ${isPage ? 'the page' : 'JSON'}`, async () => {
        // Node's fetch would send its own Accept.
        const { request } = await import('node:http')
        const { status, type, vary, location } = await new Promise<Record<string, unknown>>(
          (resolve, reject) => {
            const headers = accept === undefined ? {} : { accept }
            request(service.baseUrl, { headers }, (response) => {
              response.resume()
              const { 'content-type': type, vary, location } = response.headers
              resolve({ status: response.statusCode, type, vary, location })
            })
              .on('error', reject)
              .end()
          },
        )
        assert.deepEqual(
          { status, type, vary, location },
          isPage
            ? { status: 303, type: undefined, vary: 'Accept', location: '/console/' }
            : { status: 200, type: 'application/json', vary: 'Accept', location: undefined },
        )
      })
    }

    test('the page that it redirects to is safe, and answers HEAD', async () => {
      const url = `${service.baseUrl}/console/`
      const response = await fetch(url, { headers: { accept: FIREFOX } })
      const text = await response.text()
      const head = await fetch(url, { method: 'HEAD', headers: { accept: FIREFOX } })
      assert.equal(head.status, 200)
      assert.equal(Number(head.headers.get('content-length')), Buffer.byteLength(text))
      assert.match(
        response.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; style-src 'sha256-/,
      )
      assert.equal(response.headers.get('x-frame-options'), 'DENY')
      // The script that copies, which the policy allows by its digest.
      const [before = '', script = '', after = '', ...more] = text.split(/<script>|<\/script>/)
      const digest = hash('sha256', script, 'base64')
      assert.ok(response.headers.get('content-security-policy')?.includes(`script-src 'sha256-${digest}'`))
      assert.deepEqual(more, [])
      assert.doesNotMatch(before + after, /<script|undefined|\[object/)
    })

    test('every address on the page belongs to this installation, and each tool has its variables', async () => {
      const page = await pageOf(service.baseUrl)
      const { baseUrl } = service
      const lines = commandsOn(page)
      for (const line of [
        `export STORE_DASHBOARD_URL=${baseUrl}`,
        `export UBUNTU_ONE_SSO_URL=${baseUrl}`,
        'snapcraft login',
        `export STORE_DASHBOARD_URL=${baseUrl}/publishergw`,
        `export CHARMCRAFT_STORE_API_URL=${baseUrl}`,
        'charmcraft login',
        `export SURL_SSO_LOCATION=${new URL(baseUrl).host}`,
        `SNAPPY_FORCE_SSO_URL=${baseUrl}/api/v2`,
        `export SNAPCRAFT_STORE_CREDENTIALS="$(ratafia tokens create --for snapcraft --all --url ${baseUrl})"`,
        `snapctl set device-service.url=${baseUrl}/v1/`,
      ]) {
        assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`)
      }
      for (const [address] of page.matchAll(/https?:\/\/[^\s"<&)]+/g))
        assert.ok(address.startsWith(baseUrl), address)
      for (const path of ['/identity/account', '/openapi.json'])
        assert.ok(page.includes(`href="${baseUrl}${path}"`))
    })

    test('the identity service has a page for people at its location, and still nothing for programs', async () => {
      for (const path of ['/identity', '/identity/']) {
        const page = await pageOf(`${service.baseUrl}${path}`)
        assert.ok(page.includes(`href="${service.baseUrl}/identity/account"`), page)
        const { status, body } = await call(service, 'GET', path)
        assert.deepEqual({ status, code: body.Code }, { status: 404, code: 'not found' })
      }
    })
  })

  for (const off of ['RATAFIA_CONSOLE', 'RATAFIA_MANAGEMENT']) {
    oneDatabase((_kind, _open, fresh) => {
      const service = testService(fresh, { [off]: 'off' })

      test(`with ${off}=off the page is here, and does not link to the console`, async () => {
        const response = await fetch(service.baseUrl, { headers: { accept: FIREFOX } })
        assert.deepEqual([response.status, response.url], [200, `${service.baseUrl}/`])
        const page = await response.text()
        assert.match(page, /Log in with a tool/)
        assert.doesNotMatch(page, /\/console/)
        for (const path of ['/console/', '/console/tokens', '/console/sign-in']) {
          assert.equal((await fetch(`${service.baseUrl}${path}`)).status, 404, path)
        }
      })

      test(`security: with ${off}=off no login redirects to the console's address`, async () => {
        const { body } = await call(service, 'POST', '/api/v2/tokens', { body: {} })
        const { c: caveats } = JSON.parse(body.macaroon)
        const { i64, i } = caveats.find(({ l }: { l?: string }) => l !== undefined)
        const asked = await fetch(`${service.baseUrl}/identity/discharge`, {
          method: 'POST',
          body: new URLSearchParams(i64 === undefined ? { id: i } : { id64: i64 }),
        })
        const { Info } = (await asked.json()) as {
          Info: { InteractionMethods: { 'browser-redirect': { LoginURL: string } } }
        }
        const { LoginURL } = Info.InteractionMethods['browser-redirect']
        const query = new URLSearchParams({ return_to: `${service.baseUrl}/console/signed-in` })
        const { status, headers } = await fetch(`${LoginURL}?${query}`, { redirect: 'manual' })
        assert.deepEqual([status, headers.get('location')], [400, null])
      })
    })
  }

  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, { RATAFIA_IDENTITY_URL: 'https://id.example.com/candid' })

    test('with an external identity service, no tool asks for a password, and accounts are managed there', async () => {
      const page = await pageOf(service.baseUrl)
      const lines = commandsOn(page)
      assert.ok(!page.includes('/identity/account'))
      assert.ok(page.includes('href="https://id.example.com/candid"'))
      assert.ok(lines.includes('snapcraft whoami') && lines.includes('charmcraft whoami'))
      // Snapcraft's on-prem login does not ask for a password.
      assert.deepEqual(
        lines.filter((line) => /\blogin$|snap login|surl/.test(line)),
        ['snapcraft login'],
      )
    })
  })

  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, { RATAFIA_PASSWORD_LOGINS: 'off' })

    test('without password logins it shows only logins in the browser and by agents', async () => {
      const page = await pageOf(service.baseUrl)
      assert.ok(page.includes(`href="${service.baseUrl}/identity/account"`))
      assert.doesNotMatch(page, /asks for your e-mail address|snap login|surl|SNAPPY_/)
      // Snapcraft's on-prem login does not ask for a password.
      assert.deepEqual(
        commandsOn(page).filter((line) => / login$/.test(line)),
        ['snapcraft login'],
      )
    })
  })

  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, { RATAFIA_LOGIN_HOST: 'login.example.com:8443' })

    test('sends tools to the host that they compare with their macaroon', async () => {
      const lines = commandsOn(await pageOf(service.baseUrl))
      for (const line of [
        'export UBUNTU_ONE_SSO_URL=http://login.example.com:8443',
        'export SURL_SSO_LOCATION=login.example.com:8443',
        `export STORE_DASHBOARD_URL=${service.baseUrl}`,
      ]) {
        assert.ok(lines.includes(line), line)
      }
      const { body } = await call(service, 'GET', '/')
      assert.equal(body.links['sign-on'], 'http://login.example.com:8443')
    })
  })

  describe('the front page of a service below a path', () => {
    const program = testProgram()

    test('gives charmcraft the slash that it needs after the path, and no other tool', async () => {
      const { baseUrl } = await program.serve({ RATAFIA_BASE_URL: 'https://example.com/store' })
      const lines = commandsOn(await pageOf(baseUrl))
      assert.ok(lines.includes('export CHARMCRAFT_STORE_API_URL=https://example.com/store/'))
      assert.ok(lines.includes('export STORE_DASHBOARD_URL=https://example.com/store'))
      assert.ok(lines.includes('snapctl set device-service.url=https://example.com/store/v1/'))
    })
  })

  describe('the front page of an identity service alone', () => {
    const program = testProgram()

    test('has a page for people, and nothing for programs', async () => {
      const { baseUrl, end } = await program.start({}, ['identity', 'serve'])
      const page = await pageOf(baseUrl)
      assert.ok(page.includes(`href="${baseUrl}/account"`), page)
      const response = await fetch(baseUrl)
      assert.equal(response.status, 404)
      assert.equal(((await response.json()) as { Code: string }).Code, 'not found')
      await end('SIGTERM')
    })
  })
})
