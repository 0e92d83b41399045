import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { destinationOf } from './forward.ts'

const BASE = 'https://store.example.com/auth'
const VAULT = 'https://vault.example.net/v1/'
const LOCAL = 'http://127.0.0.1:9000/'
const IPV6 = 'http://[::1]:9000/v1/'
const services = { baseUrl: BASE, allowed: [VAULT, LOCAL, IPV6] }
const of = (header: string | undefined) => destinationOf(header, services)

suite('the destination of a registration that names a device service', () => {
  for (const header of [
    undefined,
    `${BASE}/v1/`,
    `${BASE}/v1`,
    `${BASE}/`,
    BASE,
    'https://STORE.example.com:443/auth/anything',
    `${BASE}/a/../v1/`,
  ]) {
    test(`handles ${header} here`, () => assert.deepEqual(of(header), { at: 'here' }))
  }

  const allowed: readonly (readonly [header: string, url: string])[] = [
    [VAULT, VAULT],
    ['https://vault.example.net/v1', VAULT],
    ['HTTPS://Vault.Example.NET:443/v1/', VAULT],
    ['https://vault.example.net/x/../v1/', VAULT],
    ['https://vault.example.net/%2e/v1/', VAULT],
    ['https://%76ault.example.net/v1/', VAULT],
    ['http://127.0.0.1:9000', LOCAL],
    ['http://2130706433:9000/', LOCAL],
    ['http://[0:0:0:0:0:0:0:1]:9000/v1/', IPV6],
  ]
  for (const [header, url] of allowed) {
    test(`forwards ${header} to the address as the operator wrote it`, () =>
      assert.deepEqual(of(header), { at: 'elsewhere', url }))
  }

  // Guarantee: requests are sent only to the operator's services, word for word, however the header is written.
  const refused: readonly string[] = [
    // Another host, or one that only looks similar.
    'https://evil.example/v1/',
    'https://vault.example.net.evil.example/v1/',
    'https://evilvault.example.net/v1/',
    'https://vault.example.net./v1/',
    'https://store.example.com.evil.example/auth/',
    'https://store.example.com/authority/',
    'https://store.example.com/',
    // Forms that other parsers read differently.
    'https://vault.example.net@evil.example/v1/',
    'https://user@vault.example.net/v1/',
    'https://user:password@vault.example.net/v1/',
    'https://vault.example.net:443@evil.example/v1/',
    'https://vault.example.net%40evil.example/v1/',
    'https://vault.example.net\\@evil.example/v1/',
    'https://evil.example\\vault.example.net/v1/',
    'https:\\\\vault.example.net\\v1\\',
    'https:/vault.example.net/v1/',
    'https:vault.example.net/v1/',
    'https:///vault.example.net/v1/',
    '//vault.example.net/v1/',
    'vault.example.net/v1/',
    ' https://vault.example.net/v1/',
    'https://vault.example.net/v1/ ',
    'https://vault.example.net/\tv1/',
    'https://vault.\texample.net/v1/',
    'https://vault.example.net/v1/\x00',
    'https://vault.example.net/v1/\xa0',
    'https://vault。example。net/v1/',
    'https://vàult.example.net/v1/',
    // Other ports and schemes.
    'http://vault.example.net/v1/',
    'http://vault.example.net:443/v1/',
    'https://vault.example.net:8443/v1/',
    'https://vault.example.net:80/v1/',
    'http://127.0.0.1/',
    'http://127.0.0.1:9001/',
    'http://localhost:9000/',
    'http://[::1]:9001/v1/',
    'http://[::ffff:127.0.0.1]:9000/',
    'http://[::1%25lo]:9000/v1/',
    'https://vault.example.net:99999/v1/',
    'ftp://vault.example.net/v1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'unix:/run/x.sock',
    'gopher://vault.example.net/v1/',
    // Other paths.
    'https://vault.example.net/',
    'https://vault.example.net/v1/admin/',
    'https://vault.example.net/v1/../',
    'https://vault.example.net/v1/..',
    'https://vault.example.net/v1/%2e%2e/admin/',
    'https://vault.example.net/v1/..%2fadmin/',
    'https://vault.example.net/V1/',
    'https://vault.example.net//v1/',
    'https://vault.example.net/v1//',
    'https://vault.example.net/v%31/',
    'https://store.example.com/auth/../admin/',
    'https://store.example.com/auth/%2E%2e/%2e%2E/admin/',
    'https://store.example.com/auth/..\\..\\admin/',
    // More than an address.
    'https://vault.example.net/v1/?x',
    'https://vault.example.net/v1/?',
    'https://vault.example.net/v1/#x',
    'https://vault.example.net/v1/;x',
    'https://store.example.com/auth/?x',
    // Several addresses, as a repeated header is joined.
    `${VAULT}, ${VAULT}`,
    `${VAULT},${VAULT}`,
    `${BASE}/v1/, https://evil.example/`,
    `https://evil.example/, ${VAULT}`,
    '',
    ',',
    'https://',
    'https://?',
    `${VAULT}${'a'.repeat(5000)}/`,
  ]
  for (const header of refused) {
    test(`refuses ${JSON.stringify(header.slice(0, 80))}`, () => {
      assert.throws(() => of(header), {
        name: 'RequestError',
        code: 'device-service-not-allowed',
        // One short line without credentials.
        message:
          /^X-Snap-Device-Service-URL names [!-~…]{0,129}( plain http or https address)?, and this service does not forward registrations there\. Ask its operator to allow it\.$/,
      })
      assert.throws(
        () => of(header),
        ({ message }: Error) => !message.includes('password'),
      )
    })
  }

  test('forwards nothing without a list', () => {
    assert.throws(() => destinationOf(VAULT, { baseUrl: BASE, allowed: [] }), {
      code: 'device-service-not-allowed',
    })
  })
})
