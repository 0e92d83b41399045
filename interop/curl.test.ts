// Follows the whole life of a token with curl, as documented. Only the discharge needs a bakery client.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { type Answer, craftStore, goBakery } from './support/driver.ts'
import { cleanEnvironment } from './support/paths.ts'
import { browserOf } from './support/person-settings.ts'
import { assertUnauthorized, type Call, liveAndRevoke, ok } from './support/token-life.ts'
import { ADA, FARM, onEachDatabase } from './support/world.ts'

const ENDPOINTS = [
  'POST /api/v2/tokens',
  'POST /api/v2/tokens/exchange',
  'GET /api/v2/tokens',
  'POST /api/v2/tokens/revoke',
  'GET /api/v2/tokens/whoami',
]

const JSON_TYPE = ['-H', 'Content-Type: application/json']

onEachDatabase((world) => {
  const at = (path: string) => `${world().service.url}${path}`
  const authorized =
    (write: (token: string) => readonly string[]): Call =>
    (token, _method, path, body) =>
      curl(...write(token), ...(body ? [...JSON_TYPE, '-d', JSON.stringify(body)] : []), at(path))

  async function login(description: string): Promise<string> {
    const body = JSON.stringify({ permissions: ['package_access'], description })
    const root = (await ok(curl(...JSON_TYPE, '-d', body, at('/api/v2/tokens')))) as { macaroon: string }
    const client = goBakery({ BAKERY_AGENT_FILE: world().agentFile })
    const { macaroons, error } = await client.ask({ do: 'discharge', macaroon: root.macaroon })
    await client.close()
    assert.ok(macaroons, error)
    const exchange = [
      ...JSON_TYPE,
      '-d',
      '{}',
      '-H',
      `Macaroons: ${macaroons}`,
      at('/api/v2/tokens/exchange'),
    ]
    return ((await ok(curl(...exchange))) as { macaroon: string }).macaroon
  }

  for (const [how, write] of [
    ['Authorization: Macaroon', (token: string) => ['-H', `Authorization: Macaroon ${token}`]],
    ['authorization: macaroon', (token: string) => ['-H', `authorization: macaroon ${token}`]],
    ['Macaroons', (token: string) => ['-H', `Macaroons: ${token}`]],
  ] as const) {
    test(`a token in "${how}" works for whoami, list and revoke, and then gets a 401`, async () => {
      const description = `curl ${crypto.randomUUID()}`
      const tokens = { first: await login(description), second: await login('to revoke with'), description }
      await liveAndRevoke(authorized(write), tokens, FARM)
    })
  }

  test('curl can use the token in the credentials that craft-store exports', async () => {
    const { installation, service } = world()
    const client = craftStore(service.url, (await browserOf(installation.directory, ADA)).environment)
    const wanted = { permissions: ['package_access'], description: 'exported', ttl: 60 }
    const { credentials = '' } = await client.ask({ do: 'login', ...wanted })
    await client.close()
    const { t, v } = JSON.parse(Buffer.from(credentials, 'base64').toString()) as { t: string; v: string }
    assert.equal(t, 'macaroon')
    await ok(curl('-H', `Authorization: Macaroon ${v}`, at('/api/v2/tokens/whoami')))
  })

  test('GET / describes the service, HEAD / is answered, and every answer contains the version', async () => {
    const described = (await ok(curl(at('/')))) as {
      service: string
      version: number
      endpoints: { method: string; path: string }[]
    }
    assert.equal(described.service, 'ratafia')
    const endpoints = described.endpoints.map(({ method, path }) => `${method} ${path}`)
    for (const endpoint of ENDPOINTS) assert.ok(endpoints.includes(endpoint), endpoint)
    for (const answer of [
      await curl('-I', at('/')),
      await curl(at('/api/v2/tokens')),
      await curl(at('/nothing')),
    ]) {
      assert.equal(answer.headers?.['snap-store-version'], String(described.version))
    }
    assert.equal((await curl('-I', at('/'))).status, 200)
  })

  test('a request without a token gets a 401 in exactly the content type that clients compare', async () => {
    for (const words of [[], ['-H', 'Macaroons;'], ['-H', 'Authorization;']]) {
      const answer = await curl(...words, at('/api/v2/tokens/whoami'))
      assertUnauthorized(answer, '')
      assert.equal(answer.headers?.['content-type'], 'application/json')
      assert.match(answer.headers?.['www-authenticate'] ?? '', /^Macaroon realm="/)
    }
  })

  test('whoami with a JSON content type and no body is answered (old snapcraft)', async () => {
    const token = await login('old snapcraft')
    await ok(curl(...JSON_TYPE, '-H', `Authorization: Macaroon ${token}`, at('/api/v2/tokens/whoami')))
  })
})

/** Runs curl. Returns the status, the headers with lower-case names, and the body, which must be JSON or empty. */
async function curl(...words: readonly string[]): Promise<Answer> {
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-i', ...words], { env: cleanEnvironment() })
  const [head = '', body = ''] = stdout.split(/\r\n\r\n(.*)/s)
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const
  })
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: body === '' ? undefined : JSON.parse(body),
  }
}
