/** `ratafia tokens create --agent` with invalid files and services, and commands with invalid options. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  addBakeryCaveat,
  encodeBakeryMacaroon,
  generateKeyPair,
  mintBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import { casesIn, line, wordsIn } from '../support/cases.ts'
import { startCommand, tokensCreate } from '../support/login-command.ts'
import { identity, json, loginStubs, type Respond, WORKS } from '../support/login-stubs.ts'

const agentKey = generateKeyPair()
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

describe('ratafia tokens create --agent', () => {
  const { serve, outcome } = loginStubs()
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-login-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  const file = async (content: unknown): Promise<string> => {
    const path = join(directory, 'agents.json')
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const key = { public: base64(agentKey.publicKey), private: base64(agentKey.privateKey) }

  const short = { private: 'c2VjcmV0' }
  const FILES: readonly (readonly [what: string, content: unknown, said: RegExp])[] = [
    ['text that is not JSON', 'key: secret', /is not an agents file: it has no private key/],
    ['a list', [], /it has no private key/],
    ['no list of agents', { key }, /it has no list of agents/],
    ['a short key', { key: short, agents: [] }, /its private key is not 32 bytes in base64/],
    ['an agent without an address', { key, agents: [{ username: 'farm' }] }, /an agent has no address/],
    [
      'an address with a space',
      { key, agents: [{ url: 'http://x y', username: 'f' }] },
      /has a space at character 9/,
    ],
    ['an agent without a name', { key, agents: [{ url: 'http://x' }] }, /an agent has no name/],
  ]
  for (const [what, content, said] of FILES) {
    test(`${what} as the agents file: exits with 1, sends nothing and prints no secret`, async () => {
      const { code, stdout, stderr } = await tokensCreate([
        ...['--all', '--for', 'raw', '--url', 'http://127.0.0.1:9', '--agent', await file(content)],
      ])
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(stderr, said)
      assert.doesNotMatch(stderr, /secret|c2VjcmV0/)
    })
  }

  test('exits with 1 if the agents file does not exist', async () => {
    const { code, stderr } = await tokensCreate(line`--all --for raw --agent ${join(directory, 'missing')}`)
    assert.equal(code, 1)
    assert.match(stderr, /missing cannot be read: there is no such file or directory/)
  })

  test('sends nothing about an agent of another identity service', async () => {
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
      /agents\.json has no agent for the identity service URL\/identity, only for https:\/\/id\.example\.com\./,
    )
    assert.equal(asked, 0)
  })

  test("exits with 1 if the login is sealed for a key that is not the agent's", async () => {
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
    const { code, stderr } = await tokensCreate(['--all', '--for', 'raw', '--url', url, '--agent', path])
    assert.equal(code, 1)
    assert.match(stderr, /The key in .*agents\.json is not the key of the agent farm\./)
  })
})

describe('invalid options: exits with 2, and sends nothing', () => {
  const WORDS = casesIn(String.raw`
    login --role king | --role king is not a role\. The roles are viewer, 
    login --lifetime ever | --lifetime ever is not a duration: write a number
    login --export raw | Unknown option '--export'
    tokens create | Choose what the token can do: .* or pass --all for everything
    tokens create --expires 12h | Choose what the token can do: 
    tokens create --all --channel edge | --all means no limits
    tokens create --all --for nonsense | Allowed choices are snapcraft, onprem, charmcraft, raw, env
    tokens create --all --expires soon | --expires soon is not a time
    tokens create --all --expires 2027-02-31 | --expires 2027-02-31 is not a time
    tokens create --all --url store.example.com | --url .*Write an address such as https:
    tokens create --all --url https://me:secret@store.example.com | --url .*Write an address such as https:`)
  for (const [words, said = ''] of WORDS) {
    test(words, async () => {
      const { code, stdout, stderr } = await startCommand(wordsIn(words)).finished
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, stderr)
      assert.match(stderr, new RegExp(said))
      assert.doesNotMatch(stderr, /secret/)
    })
  }
})

test('exits with 4 and names the variable if its value is not an address', async () => {
  const { code, stderr } = await tokensCreate('--all --for raw', { RATAFIA_URL: 'store.example.com' })
  assert.equal(code, 4)
  assert.match(stderr, /^ratafia: RATAFIA_URL is store\.example\.com, which does not begin with http/)
})
