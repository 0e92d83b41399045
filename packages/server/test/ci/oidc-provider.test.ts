/**
 * Tests with a real issuer on loopback: oidc-provider signs the tokens of jobs, so that signer and verifier are not
 * both ours. The jobs are its clients, which use their credentials to get tokens for this service.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import Provider, { type JWK } from 'oidc-provider'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { deciding } from '../support/authorities.ts'
import { oneDatabase } from '../support/databases.ts'
import { exchange, fieldsOf, oauthRefusalOf, withIssuer } from '../support/exchanges.ts'
import { addPerson, testService, whoami } from '../support/service.ts'

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
type Algorithm = (typeof ALGORITHMS)[number]

const KEYS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const satisfies Record<Algorithm, unknown>

const newJwk = (alg: Algorithm): JWK =>
  ({ ...KEYS[alg]().privateKey.export({ format: 'jwk' }), kid: `key-${alg}`, alg, use: 'sig' }) as JWK

const SECRET = 'a secret of the client'
/** A client whose tokens have the type of access tokens. */
const ACCESS_TOKENS = 'access-tokens'

function startProvider(): Promise<{ readonly server: Server; readonly issuer: string }> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      assert.ok(address !== null && typeof address === 'object')
      const issuer = `http://127.0.0.1:${address.port}`
      const provider = new Provider(issuer, {
        jwks: { keys: ALGORITHMS.map(newJwk) },
        clients: [...ALGORITHMS, ACCESS_TOKENS].map((client_id) => ({
          client_id,
          client_secret: SECRET,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        })),
        ttl: { ClientCredentials: 300 },
        enabledJWA: { idTokenSigningAlgValues: [...ALGORITHMS] },
        features: {
          clientCredentials: { enabled: true },
          devInteractions: { enabled: false },
          resourceIndicators: {
            enabled: true,
            getResourceServerInfo: (_context, resource, { clientId }) => ({
              ...{ scope: 'publish', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 300 },
              jwt: { sign: { alg: ALGORITHMS.find((alg) => alg === clientId) ?? 'RS256' } },
            }),
          },
        },
        extraTokenClaims: () => ({ team: 'releasers' }),
        formats: {
          customizers: {
            // It replaces parts of its argument.
            jwt: (_context, { clientId }, parts) => {
              if (clientId !== ACCESS_TOKENS) parts.header = { ...parts.header, typ: 'JWT' }
            },
          },
        },
      })
      const handle = provider.callback()
      server.on('request', (request, response) => void handle(request, response))
      resolve({ server, issuer })
    })
  })
}

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let server: Server
  let issuer: string
  before(async () => {
    ;({ server, issuer } = await startProvider())
    await withIssuer(service, { url: issuer, kind: 'generic', stableClaims: ['client_id'] })
    const { username: account } = await addPerson(service)
    for (const clientId of [...ALGORITHMS, ACCESS_TOKENS]) {
      await addRule(
        {
          ...{ maker: { authority: deciding() }, name: clientId.toLowerCase(), issuer, account },
          match: { client_id: clientId, team: { any_of: ['releasers', 'others'] } },
          grants: { permissions: ['package_upload'] },
          packages: [{ name: 'hello' }],
        },
        { ...service.installation, jobMaxLifetime: service.installation.config.jobMaxLifetime },
      )
    }
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Returns the provider's token for a client and a resource. */
  async function tokenOf(clientId: string, resource = service.baseUrl): Promise<string> {
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(SECRET)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'publish' }),
    })
    const body = JSON.parse(await response.text())
    assert.equal(response.status, 200, JSON.stringify(body))
    return body.access_token
  }

  for (const algorithm of ALGORITHMS) {
    test(`exchanges a token with ${algorithm} once`, async () => {
      const text = await tokenOf(algorithm)
      const { status, body } = await exchange(service, fieldsOf(text))
      assert.deepEqual([status, body.rule], [200, algorithm.toLowerCase()], JSON.stringify(body))
      assert.equal(await whoami(service, body.access_token), 200)
      assert.match(oauthRefusalOf(await exchange(service, fieldsOf(text))).message, /used before/)
    })
  }

  test('refuses a token for another service', async () => {
    const text = await tokenOf('RS256', 'https://other.example.com')
    const { error, message } = oauthRefusalOf(await exchange(service, fieldsOf(text)))
    assert.equal(error, 'invalid_grant')
    assert.match(message, /is for "https:\/\/other\.example\.com"/)
  })

  test('refuses an access token', async () => {
    const { error, message } = oauthRefusalOf(await exchange(service, fieldsOf(await tokenOf(ACCESS_TOKENS))))
    assert.equal(error, 'invalid_grant')
    assert.match(message, /has the type "at\+jwt"/)
  })
})
