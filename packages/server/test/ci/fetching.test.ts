/**
 * Tests the cases `fetch` of the vectors (contract/oidc.md, A19): from where the documents of an issuer may be fetched,
 * and how much of them is read.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { importIssuerKeys } from '../../src/ci/id-token/issuer-keys.ts'
import { addIssuer } from '../../src/ci/issuers/add.ts'
import { checkIssuer } from '../../src/ci/issuers/check-issuer.ts'
import { type FetchedKeys, fetchKeys } from '../../src/ci/issuers/keys/fetch-keys.ts'
import { RequestError, Unavailable } from '../../src/errors.ts'
import { type DocumentOptions, documentFetcher } from '../../src/http/outgoing/documents.ts'
import { deciding } from '../support/authorities.ts'
import { issuerNetwork } from '../support/issuer-network.ts'
import { testProgram } from '../support/program.ts'
import { storesWith } from '../support/stores.ts'
import { newKeyPair, testIssuer } from '../support/test-issuer.ts'

const GITLAB = 'https://gitlab.corp.example'
const PUBLIC = ['93.184.216.34']
const PRIVATE = ['10.20.1.4']
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

const vectors: { fetch: { id: string }[] } = JSON.parse(
  readFileSync(new URL('../vectors/oidc/attacks.json', import.meta.url), 'utf8'),
)
const tested = new Set<string>()
/** Tests one of the vectors' cases. */
function attack(id: string, guarantee: string, run: () => void | Promise<void>): void {
  tested.add(id)
  test(`${id}: ${guarantee}`, run)
}

const network = issuerNetwork()
const issuer = testIssuer()

const keysOf = (
  url: string,
  options: DocumentOptions,
  privateAddresses: readonly string[] = [],
): Promise<FetchedKeys> => {
  const { settings } = checkIssuer({ url: GITLAB, kind: 'gitlab' })
  return fetchKeys({ url, settings: { ...settings, privateAddresses } }, documentFetcher(options))
}
const refused = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof RequestError, String(error))
  assert.equal(error.code, 'invalid-field')
  assert.match(error.message, message)
  return true
}
const unavailable = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Unavailable, String(error))
  assert.match(error.message, message)
  return true
}

/** Publishes GitLab's documents, with its keys at this URL. */
async function publish(jwksUri: string): Promise<void> {
  const { jwk } = await newKeyPair('ES256', 'a')
  const { host, pathname } = new URL(jwksUri)
  network.answer({
    'gitlab.corp.example/.well-known/openid-configuration': { issuer: GITLAB, jwks_uri: jwksUri },
    [`${host}${pathname}`]: { keys: [jwk] },
  })
}

describe('addresses', () => {
  attack('private-literal', 'refuses to add an issuer at a private address', async () => {
    for (const url of ['https://10.0.0.5/', 'https://[fd00::5]/', 'https://[::ffff:a00:5]/']) {
      const deps = storesWith({
        issuers: { findByUrl: async () => undefined },
        changeBy: () => assert.fail('it is stored'),
        fetchDocument: documentFetcher(network.options()),
        clock: () => new Date(),
      })
      await assert.rejects(
        addIssuer({ url, kind: 'gitlab', authority: deciding() }, deps),
        refused(/is a private address\. If the issuer is there, allow its network with --private-address\./),
      )
      assert.deepEqual(network.reached, [])
    }
  })

  attack('loopback-name', 'looks up a name of this machine, but does not connect', async () => {
    const url = `https://localhost:${network.port}`
    await assert.rejects(
      keysOf(url, {}),
      refused(/"localhost" is at "(127\.0\.0\.1|::1)", which is a loopback address/),
    )
    // This also applies if the network is allowed, or if the issuer is on this machine.
    await assert.rejects(keysOf(url, {}, ['127.0.0.0/8', '::/0']), refused(/which is a loopback address/))
    issuer.publish({ document: { jwks_uri: `https://localhost:${network.port}/` } })
    await assert.rejects(keysOf(issuer.url, {}), refused(/which is a loopback address/))
    issuer.publish({ document: {} })
  })

  attack('metadata', 'refuses link-local addresses, with http and https and by name', async () => {
    for (const [jwksUri, names, message] of [
      [
        'http://169.254.169.254/latest/',
        {},
        /http is used only for an issuer whose own URL has a loopback address/,
      ],
      [
        'https://169.254.169.254/latest/',
        {},
        /169\.254\.169\.254 is a link-local address, which is not allowed for an issuer/,
      ],
      ['https://[fe80::1]/', {}, /is a link-local address/],
      ['https://[64:ff9b::a9fe:a9fe]/', {}, /is a link-local address/],
      [
        'https://keys.corp.example/',
        { 'keys.corp.example': [['169.254.169.254']] },
        /is a link-local address/,
      ],
    ] as const) {
      await publish(jwksUri)
      const options = network.options({ 'gitlab.corp.example': [PRIVATE], ...names })
      // Networks that were allowed by mistake.
      const allowed = ['10.0.0.0/8', '169.254.0.0/16', 'fe80::/10', '0.0.0.0/0', '::/0']
      await assert.rejects(keysOf(GITLAB, options, allowed), refused(message))
      assert.deepEqual(network.reached, PRIVATE)
    }
  })

  attack('literal-skips-lookup', 'checks an address in every spelling, without a look-up', async () => {
    for (const jwksUri of [
      ...['https://127.0.0.1/', 'https://[::ffff:127.0.0.1]/', 'https://2130706433/', 'https://0x7f.1/'],
      ...['https://127.1/', 'https://127.0.0.1./', 'https://0177.0.0.1/', 'https://[::1]/', 'https://[::]/'],
      ...['https://0/', 'https://[::ffff:7f00:1]/', 'https://１２７.0.0.1/'],
    ]) {
      await publish(jwksUri)
      await assert.rejects(
        keysOf(GITLAB, network.options({ 'gitlab.corp.example': [PUBLIC] })),
        refused(/is a loopback address|is not the address of a host/),
        jwksUri,
      )
      assert.deepEqual(network.reached, PUBLIC, jwksUri)
    }
    for (const url of ['https://2130706433/', 'https://0x7f.1', 'https://127.1']) {
      assert.throws(
        () => checkIssuer({ url, kind: 'gitlab' }),
        refused(/an IP address in an unusual form\. Write 127\.0\.0\.1/),
      )
    }
  })

  attack('rebinding', 'connects to the address that it checked, in each look-up', async () => {
    await publish(`${GITLAB}/keys`)
    const twice = { 'gitlab.corp.example': [PUBLIC, ['10.0.0.7']] }
    await assert.rejects(
      keysOf(GITLAB, network.options(twice)),
      refused(/is at "10\.0\.0\.7", which is a private/),
    )
    assert.deepEqual(network.reached, PUBLIC)
    // A name with both is refused in either order.
    for (const both of [
      [...PUBLIC, '10.0.0.7'],
      ['10.0.0.7', ...PUBLIC],
    ]) {
      await assert.rejects(
        keysOf(GITLAB, network.options({ 'gitlab.corp.example': [both] })),
        refused(/private/),
      )
      assert.deepEqual(network.reached, [])
    }
    await assert.rejects(
      keysOf(GITLAB, network.options({ 'gitlab.corp.example': [[]] })),
      unavailable(/its name cannot be looked up/),
    )
  })

  attack(
    'allowed-on-purpose',
    'reaches a private network for an issuer that is allowed to use it',
    async () => {
      await publish(`${GITLAB}/keys`)
      const allowed = ['10.20.0.0/16']
      const at = (address: string) => network.options({ 'gitlab.corp.example': [[address], [address]] })
      const { keys } = await keysOf(GITLAB, at('10.20.1.4'), allowed)
      assert.equal(JSON.parse(keys).keys.length, 1)
      assert.deepEqual(network.reached, ['10.20.1.4', '10.20.1.4'])
      for (const address of [
        '10.21.1.4',
        '192.168.0.1',
        '127.0.0.1',
        '169.254.169.254',
        '::1',
        '::ffff:10.21.0.1',
      ]) {
        await assert.rejects(
          keysOf(GITLAB, at(address), allowed),
          refused(/which is a (private|loopback|link-local)/),
        )
        assert.deepEqual(network.reached, [])
      }
      for (const network of [
        '169.254.0.0/16',
        '127.0.0.0/8',
        '::1',
        'fe80::/10',
        '0.0.0.0/0',
        '8.8.8.0/24',
        'corp',
      ]) {
        const wanted = { url: GITLAB, kind: 'gitlab', privateAddresses: [network] }
        assert.throws(() => checkIssuer(wanted), refused(/is not a (private )?network/), network)
      }
    },
  )

  attack(
    'jwks-elsewhere',
    'fetches keys from another host over https, with the same rules for its address',
    async () => {
      await publish('https://keys.corp.example/certs?v=3')
      network.answer({
        'gitlab.corp.example/.well-known/openid-configuration': {
          issuer: GITLAB,
          jwks_uri: 'https://keys.corp.example/certs?v=3',
        },
        'keys.corp.example/certs?v=3': { keys: [] },
      })
      const at = (address: string) => ({ 'gitlab.corp.example': [PUBLIC], 'keys.corp.example': [[address]] })
      const { jwksUri } = await keysOf(GITLAB, network.options(at('1.1.1.1')))
      assert.equal(jwksUri, 'https://keys.corp.example/certs?v=3')
      assert.deepEqual(network.reached, [...PUBLIC, '1.1.1.1'])
      await assert.rejects(
        keysOf(GITLAB, network.options(at('10.0.0.1'))),
        refused(/which is a private address/),
      )
      for (const jwksUri of [
        'http://keys.corp.example/',
        'ftp://keys.corp.example/',
        'file:///etc/passwd',
        '/keys',
        '',
      ]) {
        network.answer({
          'gitlab.corp.example/.well-known/openid-configuration': { issuer: GITLAB, jwks_uri: jwksUri },
        })
        await assert.rejects(
          keysOf(GITLAB, network.options({ 'gitlab.corp.example': [PUBLIC] })),
          refused(/is not fetched: (it is not an https URL|http is used only)/),
          jwksUri,
        )
      }
    },
  )
})

describe('documents', () => {
  const onLoopback = () => keysOf(issuer.url, {})
  /** Answers instead of the issuer. */
  const instead = (path: RegExp, answer: (response: ServerResponse) => void) =>
    issuer.answerWith(({ url = '' }, response) => {
      if (!path.test(url)) return false
      answer(response)
      return true
    })
  const well = () => {
    issuer.behave('well')
    issuer.publish({ document: {}, keys: [] })
  }

  attack('issuer-member', 'refuses a document of another issuer', async () => {
    for (const other of [`${issuer.url}/`, 'https://gitlab.com', issuer.url.toUpperCase(), 7, null]) {
      issuer.publish({ document: { issuer: other } })
      await assert.rejects(
        onLoopback(),
        refused(/names the issuer .* instead of "http:\/\/127\.0\.0\.1:\d+"/),
      )
    }
    well()
  })

  attack(
    'huge',
    'refuses an answer over 256 KiB while reading it, and a set of more than 100 keys',
    async () => {
      for (const path of [/openid-configuration/, /keys/]) {
        const closed = new Promise((resolve) =>
          instead(path, (response) => {
            const more = setInterval(() => response.write(' '.repeat(64 * 1024)), 1)
            response.on('close', () => {
              clearInterval(more)
              resolve('closed')
            })
          }),
        )
        await assert.rejects(onLoopback(), unavailable(/its answer has more than 256 KiB/))
        assert.equal(await closed, 'closed')
      }
      well()
      const { jwk } = await newKeyPair('ES256', 'a')
      const keys = JSON.stringify({ keys: [jwk] })
      instead(/keys/, (response) => response.end(keys.padEnd(256 * 1024)))
      await onLoopback()
      instead(/keys/, (response) => response.end(keys.padEnd(256 * 1024 + 1)))
      await assert.rejects(onLoopback(), unavailable(/its answer has more than 256 KiB/))
      well()
      issuer.publish({ keys: Array.from({ length: 100 }, (_, index) => ({ ...jwk, kid: `key-${index}` })) })
      await assert.rejects(onLoopback(), refused(/more than 100 keys/))
      well()
    },
  )

  attack('slow', 'refuses an answer that does not finish in time, wherever it stops', async () => {
    const trickle = (response: ServerResponse) => {
      const more = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(more))
    }
    for (const answer of [trickle, () => {}]) {
      instead(/./, answer)
      await assert.rejects(
        keysOf(issuer.url, { timeout: 300 }),
        unavailable(/cannot be fetched: the whole answer did not arrive in 0\.3 s/),
      )
    }
    well()
    // Stops while the connection is being established.
    const never = { ...network.options(), resolve: () => new Promise<never>(() => {}), timeout: 300 }
    await assert.rejects(
      keysOf(GITLAB, { ...never, connect }),
      unavailable(/the whole answer did not arrive in 0\.3 s/),
    )
  })

  attack('symmetric-key', 'leaves out a symmetric key', async () => {
    issuer.publish({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'shared', alg: 'HS256' }] })
    const stored = await onLoopback()
    assert.deepEqual(
      (await importIssuerKeys(stored)).keys.map(({ kid }) => kid),
      [issuer.key.kid],
    )
    assert.ok(!stored.keys.includes('shared'))
    well()
  })

  attack('small-rsa', 'leaves out an RSA key under 2048 bits', async () => {
    const jwkOf = (modulusLength: number) => ({
      ...generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }),
      kid: `rsa-${modulusLength}`,
    })
    issuer.publish({ keys: [jwkOf(1024), jwkOf(2047), jwkOf(2048)] })
    const { keys } = await importIssuerKeys(await onLoopback())
    assert.deepEqual(keys.map(({ kid }) => kid).sort(), [issuer.key.kid, 'rsa-2048'].sort())
    well()
  })

  attack('userinfo-in-url', 'refuses to add an issuer with a user, a query or a fragment', () => {
    for (const url of [
      ...[
        'https://user:pw@host/',
        'https://user@host/',
        'https://@host/?',
        'https://host/?a=b',
        'https://host?',
      ],
      ...['https://host/#a', 'https://host/#'],
    ]) {
      assert.throws(() => checkIssuer({ url, kind: 'gitlab' }), refused(/has a (user|query|fragment)/), url)
    }
    for (const url of [
      ...[
        'http://host',
        'ftp://host',
        'host',
        '',
        'HTTPS://host',
        ' https://host',
        'https://ho\tst',
        'https:host',
      ],
      ...[
        'https://',
        'https://höst',
        `https://host/${'x'.repeat(500)}`,
        'http://localhost',
        'http://10.0.0.1',
      ],
    ]) {
      assert.throws(
        () => checkIssuer({ url, kind: 'gitlab' }),
        refused(/^The URL .* (is not valid for an issuer|is not https)/),
        url,
      )
    }
    assert.throws(() => checkIssuer({ url: GITLAB, kind: 'travis' }), refused(/There is no kind "travis"/))
  })

  test('does not fetch keys from a URL with a user or a password', async () => {
    for (const user of ['user', 'user:secret', ':secret']) {
      issuer.publish({ document: { jwks_uri: issuer.url.replace('://', `://${user}@`) } })
      await assert.rejects(onLoopback(), refused(/is not fetched: it contains a username or password\./))
    }
    well()
  })

  test('a request has the headers that it needs, and nothing about this service', async () => {
    let headers: IncomingHttpHeaders = {}
    issuer.answerWith((request) => {
      headers = request.headers
      return false
    })
    await onLoopback()
    assert.deepEqual(headers, {
      host: new URL(issuer.url).host,
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      'user-agent': 'ratafia',
    })
    well()
  })

  test('refuses redirects, other statuses, compression, and answers that are not JSON or not UTF-8', async () => {
    for (const [answer, message] of [
      [
        (response) => response.writeHead(302, { location: `${issuer.url}/keys` }).end(),
        /it redirects \(status 302\)/,
      ],
      [(response) => response.writeHead(404).end(), /it answered with status 404/],
      [(response) => response.socket?.write(SWITCHED), /it answered with status 101/],
      [
        (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
        /its answer is compressed/,
      ],
      [(response) => response.end(Buffer.from([0x7b, 0xff, 0x7d])), /its answer is not UTF-8/],
      [(response) => response.socket?.destroy(), /the connection broke/],
      [(response) => response.socket?.end('what\r\n\r\n'), /the connection failed \(HPE_/],
    ] satisfies [(response: ServerResponse) => unknown, RegExp][]) {
      instead(/./, answer)
      await assert.rejects(onLoopback(), unavailable(message))
    }
    for (const text of ['', '[]', 'null', '"text"', '{', '[{}]']) {
      instead(/openid/, (response) => response.end(text))
      await assert.rejects(onLoopback(), refused(/is not a JSON object/), text)
    }
    well()
    for (const document of [
      { jwks_uri: undefined },
      { jwks_uri: 7 },
      { jwks_uri: `${issuer.url}/${'x'.repeat(2000)}` },
      { id_token_signing_alg_values_supported: 'ES256' },
      { id_token_signing_alg_values_supported: [] },
      { id_token_signing_alg_values_supported: ['ES256', 7] },
    ]) {
      issuer.publish({ document })
      await assert.rejects(onLoopback(), refused(/has (no jwks_uri|an id_token_signing_alg)/))
    }
    well()
    issuer.behave('failing')
    await assert.rejects(onLoopback(), unavailable(/it answered with status 500/))
    well()
  })

  test('keeps the algorithms of a document that are accepted here', async () => {
    issuer.publish({ document: { id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256', 'XX1'] } })
    assert.deepEqual((await importIssuerKeys(await onLoopback())).algorithms, ['ES256'])
    well()
  })
})

describe('TLS', () => {
  const at = (name: string) => keysOf(`https://${name}`, network.options({ [name]: [PUBLIC] }))

  test('requires a certificate for the name from a trusted authority, whatever Node is configured to do', async () => {
    await publish(`${GITLAB}/keys`)
    await assert.rejects(at('other.corp.example'), unavailable(/its certificate is for a different name/))
    setDefaultCACertificates([])
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      await assert.rejects(
        at('gitlab.corp.example'),
        unavailable(/its certificate is not trusted \(\w+\); NODE_EXTRA_CA_CERTS adds an authority/),
      )
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })
})

describe('proxies', () => {
  const program = testProgram()
  const seen: string[] = []
  /** Every tunnel leads to the server of the test network. */
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  }).on('connect', ({ url, headers }, socket) => {
    seen.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim())
    if (url?.startsWith('refused')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const tunnel = connect(network.port, '127.0.0.1')
    for (const one of [tunnel, socket]) one.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.pipe(tunnel).pipe(socket)
  })
  const proxyUrl = (user = '') => {
    const address = proxy.address()
    assert.ok(address !== null && typeof address === 'object')
    return `http://${user}127.0.0.1:${address.port}/`
  }
  before(() => new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve)))
  after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })

  attack('proxy-environment', 'does not use the proxy of the environment', async () => {
    assert.equal((await program.run(['migrate'])).code, 0)
    const environment = Object.fromEntries(
      ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy'].map((name) => [
        name,
        proxyUrl(),
      ]),
    )
    const { code, stderr } = await program.spawn(['issuers', 'add', issuer.url, '--kind', 'gitlab'], {
      environment: { ...environment, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' },
    })
    assert.equal(code, 0, stderr)
    assert.deepEqual(seen, [])
  })

  test('uses a configured proxy only for public issuers', async () => {
    // The certificate is not trusted any more, so each fetch fails after the tunnel is established.
    const untrusted = unavailable(/its certificate is not trusted/)
    await assert.rejects(keysOf(GITLAB, { proxy: proxyUrl('user:p%40ss@') }), untrusted)
    assert.deepEqual(seen.splice(0), [
      `gitlab.corp.example:443 Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    ])
    await assert.rejects(
      keysOf('https://refused.example', { proxy: proxyUrl() }),
      unavailable(/the proxy answered with status 403/),
    )
    assert.deepEqual(seen.splice(0), ['refused.example:443'])
    // Addresses are still checked.
    await assert.rejects(keysOf('https://10.0.0.1', { proxy: proxyUrl() }), refused(/is a private address/))
    const names = network.options({ 'gitlab.corp.example': [PRIVATE] })
    await assert.rejects(keysOf(GITLAB, { ...names, proxy: proxyUrl() }, ['10.20.0.0/16']), untrusted)
    assert.deepEqual(network.reached, PRIVATE)
    await keysOf(issuer.url, { proxy: proxyUrl() })
    assert.deepEqual(seen, [])
  })
})

test('tests every case of the vectors', () => {
  assert.deepEqual([...tested].sort(), vectors.fetch.map(({ id }) => id).sort())
})
