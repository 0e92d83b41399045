/** What `ratafia login` makes of services that are away, busy, hostile, or no service of ours. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import {
  addBakeryCaveat,
  discharge,
  encodeBakeryMacaroon,
  generateKeyPair,
  mintBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import { login, startLogin } from '../support/login-command.ts'

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void | Promise<void>

const shop = generateKeyPair()
const identity = generateKeyPair()
const agentKey = generateKeyPair()
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

describe('ratafia login', () => {
  let directory: string
  const servers: Server[] = []
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-login-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))
  const closeServers = async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  afterEach(closeServers)

  /** By method and path; all else is a 404 without a reason. */
  async function serve(routes: Readonly<Record<string, Respond>>): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const path = `${request.method} ${request.url?.split('?', 1)[0]}`
      const respond = routes[path] ?? ((_, to) => void to.writeHead(404).end())
      await respond(request, response, Buffer.concat(chunks).toString())
    })
    servers.push(server)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('no address')
    return `http://127.0.0.1:${address.port}`
  }

  const json =
    (value: unknown, status = 200, headers = {}): Respond =>
    (_request, response) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value))
  const refusal = (code: string, message: string) => ({ error_list: [{ code, message, extra: {} }] })

  const described: Respond = (request, response) => {
    const self = `http://${request.headers.host}`
    const links = { self, 'sign-on': self, identity: `${self}/identity` }
    json({ service: 'ratafia', links })(request, response, '')
  }
  /** The root of a login, whose caveat is discharged at `location` (default: this very server). */
  const rootFor =
    (location?: string): Respond =>
    (request, response) => {
      const thirdParty = {
        location: location ?? `http://${request.headers.host}/identity`,
        version: 3 as const,
      }
      const minted = mintBakeryMacaroon({
        rootKey: randomBytes(32),
        id: randomBytes(16),
        location: 'x',
        version: 2,
      })
      const root = addBakeryCaveat(minted, {
        condition: 'need-declared userid is-authenticated-userid',
        thirdParty: { ...thirdParty, publicKey: identity.publicKey },
        firstParty: shop,
      })
      json({ macaroon: JSON.stringify(encodeBakeryMacaroon({ ...root, version: 2 })) })(request, response, '')
    }
  /** Offers a login in the browser, and discharges for whoever comes back with a token. */
  const discharged: Respond = (request, response, body) => {
    const parameters = new URLSearchParams(body)
    const here = `http://${request.headers.host}/identity`
    if (!parameters.has('token64')) {
      const InteractionMethods = {
        'browser-window': { VisitURL: `${here}/login?did=1`, WaitTokenURL: `${here}/wait?did=SECRET` },
        agent: { 'login-url': `${here}/agent?did=1` },
      }
      const Info = { InteractionMethods }
      return json({ Code: 'interaction required', Message: 'Log in first', Info }, 401)(request, response, '')
    }
    const id = Buffer.from(parameters.get('id64') ?? '', 'base64')
    const check = () => ['declared userid x']
    return discharge({ id, keyPairs: [identity], check }).then((one) =>
      json({ Macaroon: encodeBakeryMacaroon(one) })(request, response, ''),
    )
  }
  const exported = json({ 'session-id': '00-aa', root: 'cm9vdA', discharge: 'ZGlz', macaroon: 'AgEXdG9rZW4' })

  const WORKS: Readonly<Record<string, Respond>> = {
    'GET /': described,
    'POST /api/v2/tokens': rootFor(),
    'POST /identity/discharge': discharged,
    'GET /identity/wait': json({ kind: 'login', token64: 'dG9rZW4=' }),
    'POST /api/v2/tokens/export': exported,
  }

  /** The exit code and the complaint, with the address left out. */
  async function outcome(routes: Readonly<Record<string, Respond>>, words: readonly string[] = []) {
    const url = await serve({ ...WORKS, ...routes })
    const { code, stdout, stderr } = await login(['--export', 'raw', '--url', url, ...words])
    const complaint = stderr.split('\n').filter((line) => line.startsWith('ratafia: '))
    return { code, stdout, said: complaint.join('\n').replaceAll(url, 'URL') }
  }

  test('this service of stubs works, so each refusal below is about what its test changes', async () => {
    assert.deepEqual(await outcome({}), { code: 0, stdout: 'AgEXdG9rZW4\n', said: '' })
  })

  test('nothing listens, or there is no such host: exit code 3', async () => {
    const url = await serve({})
    await closeServers()
    for (const [address, reason] of [
      [url, 'nothing listens there'],
      ['http://127.0.0.1:9', 'browsers and other clients refuse to use that port'],
      ['http://no-such-host.invalid', 'there is no host of this name|the name cannot be looked up now'],
    ]) {
      const { code, stdout, stderr } = await login(['--export', 'raw', '--url', String(address)])
      assert.deepEqual({ code, stdout }, { code: 3, stdout: '' })
      assert.match(
        stderr,
        new RegExp(`^ratafia: ${address}/ cannot be reached: (${reason})\\. Check --url, or try again\\.\n$`),
      )
    }
  })

  const ANSWERS: readonly (readonly [
    what: string,
    at: string,
    respond: Respond,
    code: number,
    said: RegExp,
  ])[] = [
    [
      'busy',
      'POST /api/v2/tokens',
      json(refusal('service-unavailable', 'It is busy.'), 503),
      3,
      /^ratafia: URL\/api\/v2\/tokens: It is busy\.$/,
    ],
    [
      'too many requests',
      'POST /api/v2/tokens',
      json(refusal('too-many-requests', 'Too many.'), 429),
      3,
      /: Too many\.$/,
    ],
    [
      'a proxy without its service',
      'GET /',
      (_, to) => void to.writeHead(502).end('<html>'),
      3,
      /it answers with status 502\. Try again\.$/,
    ],
    [
      'a refusal',
      'POST /api/v2/tokens',
      json(refusal('invalid-field', 'No such thing.'), 400),
      1,
      /URL\/api\/v2\/tokens: No such thing\.$/,
    ],
    [
      'another program',
      'GET /',
      json({ hello: 'world' }),
      1,
      /^ratafia: URL\/ answers with no description of this service: it may be another program\. Check --url\.$/,
    ],
    ['a page', 'GET /', (_, to) => void to.writeHead(200).end('<html>'), 1, /it may be another program/],
    [
      'a redirect',
      'GET /',
      (_, to) => void to.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      1,
      /URL\/ sends clients on to another address, which is not followed/,
    ],
    ['an endless answer', 'GET /', endless, 1, /answers with more than 256 KiB/],
    ['no macaroon', 'POST /api/v2/tokens', json({ macaroon: '{}' }), 1, /something that is no macaroon/],
    [
      'a macaroon of garbage',
      'POST /api/v2/tokens',
      json({ macaroon: '\u0000' }),
      1,
      /something that is no macaroon/,
    ],
    [
      'a caveat without an address',
      'POST /api/v2/tokens',
      rootFor('file:///etc/passwd'),
      1,
      /a macaroon that cannot be discharged/,
    ],
    [
      'an identity service that says no',
      'POST /identity/discharge',
      json({ Code: 'permission denied', Message: 'No.' }, 401),
      1,
      /URL\/identity\/discharge: No\.$/,
    ],
    [
      'a discharge of something else',
      'POST /identity/discharge',
      json({ Macaroon: {} }),
      1,
      /something that is no macaroon/,
    ],
    [
      'no login in a browser',
      'POST /identity/discharge',
      json({ Code: 'interaction required', Info: { InteractionMethods: {} } }, 401),
      1,
      /offers no login in a browser\. Use --agent\.$/,
    ],
    [
      'an address to open that is a script',
      'POST /identity/discharge',
      json(
        {
          Code: 'interaction required',
          Info: {
            InteractionMethods: {
              'browser-window': { VisitURL: 'javascript:alert(1)', WaitTokenURL: 'http://x/' },
            },
          },
        },
        401,
      ),
      1,
      /offers no login in a browser/,
    ],
    [
      'a wait that ends with a refusal',
      'GET /identity/wait',
      json({ Code: 'permission denied', Message: 'It has expired.' }, 401),
      1,
      /^ratafia: URL\/identity\/wait: It has expired\.$/,
    ],
    [
      'a wait that ends with nothing',
      'GET /identity/wait',
      json({}),
      1,
      /URL\/identity\/wait answers with no login/,
    ],
    [
      'no credential',
      'POST /api/v2/tokens/export',
      json({ root: 'a', discharge: 'b', macaroon: 'c d', 'session-id': 'a' }),
      1,
      /answers with no credential/,
    ],
    [
      'no session',
      'POST /api/v2/tokens/export',
      json({ root: 'a', discharge: 'b', macaroon: 'c', 'session-id': '\u001b[2J' }),
      1,
      /answers with no session/,
    ],
    [
      'escapes for the terminal',
      'POST /api/v2/tokens',
      json(refusal('x', 'a\u001b[2Jb\u202e'), 400),
      1,
      /: a[^\p{Cc}\p{Cf}]*b[^\p{Cc}\p{Cf}]*$/u,
    ],
  ]
  for (const [what, at, respond, code, said] of ANSWERS) {
    test(`${what}: exit code ${code}, nothing on standard output, and what is wrong`, async () => {
      const result = await outcome({ [at]: respond })
      assert.deepEqual({ code: result.code, stdout: result.stdout }, { code, stdout: '' }, result.said)
      assert.match(result.said, said)
      assert.doesNotMatch(result.said, /SECRET/)
    })
  }

  test('the wait goes on after a 504, a restart of the service and a broken connection', async () => {
    const answers: Respond[] = [
      json({ Code: 'service unavailable', Message: 'Ask again' }, 504),
      (_, to) => void to.destroy(),
      (_, to) => void to.writeHead(503).end('<html>'),
      json({ kind: 'login', token64: 'dG9rZW4=' }),
    ]
    const wait: Respond = (request, response, body) => answers.shift()?.(request, response, body)
    assert.deepEqual(await outcome({ 'GET /identity/wait': wait }), {
      code: 0,
      stdout: 'AgEXdG9rZW4\n',
      said: '',
    })
    assert.equal(answers.length, 0)
  })

  test('standard output has nothing until the credential is there', async () => {
    let decide = () => {}
    const wait: Respond = (request, response) => {
      decide = () => json({ kind: 'login', token64: 'dG9rZW4=' })(request, response, '') as undefined
    }
    const url = await serve({ ...WORKS, 'GET /identity/wait': wait })
    const running = startLogin(['--export', 'raw', '--url', url])
    assert.equal(await running.visit(), `${url}/identity/login?did=1`)
    while (String(decide) === '() => {}') await new Promise((resolve) => setTimeout(resolve, 5))
    decide()
    const { stdout, stderr } = await running.finished
    assert.equal(stdout, 'AgEXdG9rZW4\n')
    assert.doesNotMatch(stderr, /SECRET|cm9vdA|ZGlz|AgEX/)
  })

  describe('with --agent', () => {
    const file = async (content: unknown): Promise<string> => {
      const path = join(directory, 'agents.json')
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
      return path
    }
    const key = { public: base64(agentKey.publicKey), private: base64(agentKey.privateKey) }

    const FILES: readonly (readonly [what: string, content: unknown, said: RegExp])[] = [
      ['not JSON', 'key: secret', /is not an agents file: it has no private key/],
      ['a list', [], /it has no private key/],
      ['no list of agents', { key }, /it has no list of agents/],
      [
        'a key that is too short',
        { key: { private: 'c2VjcmV0' }, agents: [] },
        /its private key is not 32 bytes in base64/,
      ],
      ['an agent without an address', { key, agents: [{ username: 'farm' }] }, /an agent has no address/],
      ['an agent without a name', { key, agents: [{ url: 'http://x' }] }, /an agent has no name/],
    ]
    for (const [what, content, said] of FILES) {
      test(`a file that is ${what}: exit code 1, before anything is sent, without its secrets`, async () => {
        const { code, stdout, stderr } = await login([
          ...['--export', 'raw', '--url', 'http://127.0.0.1:9', '--agent', await file(content)],
        ])
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
        assert.match(stderr, said)
        assert.doesNotMatch(stderr, /secret|c2VjcmV0/)
      })
    }

    test('a file that is not there: exit code 1', async () => {
      const { code, stderr } = await login(['--export', 'raw', '--agent', join(directory, 'missing')])
      assert.equal(code, 1)
      assert.match(stderr, /missing cannot be read: there is no such file or directory/)
    })

    test('an agent of another identity service: its name and key go nowhere', async () => {
      const path = await file({ key, agents: [{ url: 'https://id.example.com/', username: 'farm' }] })
      let asked = 0
      const agent: Respond = (_, to) => {
        asked++
        to.end()
      }
      const { code, said } = await outcome({ 'GET /identity/agent': agent }, ['--agent', path])
      assert.equal(code, 1)
      assert.match(
        said,
        /agents\.json has no agent of the identity service URL\/identity, only of https:\/\/id\.example\.com\./,
      )
      assert.equal(asked, 0)
    })

    test('a login that is sealed for another key: exit code 1', async () => {
      const loginFor: Respond = (request, response) => {
        const minted = mintBakeryMacaroon({
          rootKey: randomBytes(32),
          id: randomBytes(16),
          location: 'x',
          version: 3,
        })
        const macaroon = addBakeryCaveat(minted, {
          condition: 'true',
          thirdParty: { location: 'local', publicKey: generateKeyPair().publicKey, version: 3 },
          firstParty: identity,
        })
        json({ macaroon: encodeBakeryMacaroon(macaroon) })(request, response, '')
      }
      const url = await serve({ ...WORKS, 'GET /identity/agent': loginFor })
      const path = await file({ key, agents: [{ url: `${url}/identity`, username: 'farm' }] })
      const { code, stderr } = await login(['--export', 'raw', '--url', url, '--agent', path])
      assert.equal(code, 1)
      assert.match(stderr, /The key in .*agents\.json does not open the login of the agent farm\./)
    })
  })

  describe('the words are wrong: exit code 2, before anything is sent', () => {
    const WORDS: readonly (readonly [words: readonly string[], said: RegExp])[] = [
      [[], /Give --export and for which tool: snapcraft, onprem, charmcraft, raw, env\./],
      [['--export', 'nonsense'], /Allowed choices are snapcraft, onprem, charmcraft, raw, env/],
      [['--export', 'raw', '--ttl', 'soon'], /--ttl soon is neither a time/],
      [['--export', 'raw', '--expires', '2027-02-31'], /--expires 2027-02-31 is neither a time/],
      [
        ['--export', 'raw', '--ttl', '1d', '--expires', '2027-01-31T12:00:00Z'],
        /Give either --expires or --ttl\./,
      ],
      [['--export', 'raw', '--channels', 'edge,,beta'], /--channels has an empty item/],
      [['--export', 'raw', '--stores', ''], /--stores has an empty item/],
      [['--export', 'raw', '--url', 'store.example.com'], /--url is not an http or https address/],
      [
        ['--export', 'raw', '--url', 'https://me:secret@store.example.com'],
        /--url is not an http or https address/,
      ],
    ]
    for (const [words, said] of WORDS) {
      test(words.join(' ') || 'nothing at all', async () => {
        const { code, stdout, stderr } = await login(words)
        assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, stderr)
        assert.match(stderr, said)
        assert.doesNotMatch(stderr, /secret/)
      })
    }
  })

  test('a variable that names no address: exit code 4, and which one', async () => {
    const { code, stderr } = await login(['--export', 'raw'], { RATAFIA_URL: 'store.example.com' })
    assert.equal(code, 4)
    assert.match(stderr, /^ratafia: RATAFIA_URL is not an http or https address/)
  })
})

function endless(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(16_384))) {}
  }
  response.on('drain', more)
  more()
}
