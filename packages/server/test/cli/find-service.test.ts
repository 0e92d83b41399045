/**
 * Every command finds the service in the same order: an option, RATAFIA_URL, the last login, the settings of
 * this host. The message names the source if the service cannot be reached.
 */
import assert from 'node:assert/strict'
import fs, { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { addFirstPartyCaveat, encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { idTokenFor, NOWHERE, SESSION } from '../support/ci-job.ts'
import { runHere, type Variables } from '../support/program.ts'

const root = mint({ rootKey: Buffer.alloc(32, 1), id: 'x' })
const token = encodeBase64Url(encodeBinary(addFirstPartyCaveat(root, `session-id ${SESSION}`)))

/** Clients refuse to use these ports, so nothing is sent and there are no retries. */
const AT = {
  option: 'http://127.0.0.1:7',
  variable: 'http://127.0.0.1:9',
  login: 'http://127.0.0.1:11',
  base: 'http://127.0.0.1:13',
  port: 'http://127.0.0.1:15',
}

const COMMANDS: readonly (readonly [words: string, input?: string])[] = [
  ['login'],
  ['tokens create --all'],
  ['tokens rotate -', token],
  ['tokens explain -', token],
  [`tokens shorten ${SESSION} --until 1h`],
  ['whoami'],
  ['ci login --from - --audience x --export stdout', idTokenFor('x')],
  ['ci logout --from -', token],
]

suite('the service of a command', () => {
  let home: string
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-found-'))
    await mkdir(join(home, 'ratafia'))
    const kept = { token: 'AgEU', account: 'ada', session_id: 'x', expires: 'x' }
    const services = { 'http://127.0.0.1:17': kept, [AT.login]: kept }
    await writeFile(join(home, 'ratafia', 'credentials.json'), JSON.stringify({ services }))
    await writeFile(join(home, 'token'), token)
  })
  after(() => rm(home, { recursive: true }))

  /** Each source overrides the previous ones, which are also set. */
  const sources = (): readonly (readonly [from: string, url: string, environment: Variables])[] => {
    const port = { XDG_CONFIG_HOME: join(home, 'none'), RATAFIA_HOST: '0.0.0.0', RATAFIA_PORT: '15' }
    const base = { ...port, RATAFIA_BASE_URL: AT.base }
    const kept = { ...base, XDG_CONFIG_HOME: home }
    const variable = { ...kept, RATAFIA_URL: AT.variable }
    // A command with --url ignores the settings of a service on this host.
    const { RATAFIA_HOST: _host, RATAFIA_PORT: _port, ...others } = variable
    const unusable = {
      ...others,
      RATAFIA_NONSENSE: 'x',
      RATAFIA_DATABASE_URL: 'postgres://unknown@127.0.0.1:9/x',
    }
    return [
      ['RATAFIA_HOST and RATAFIA_PORT', AT.port, port],
      ['RATAFIA_BASE_URL', AT.base, base],
      ['the last `ratafia login`', AT.login, kept],
      ['RATAFIA_URL', AT.variable, variable],
      ['--url', AT.option, unusable],
    ]
  }

  for (const [words, input = ''] of COMMANDS) {
    test(`ratafia ${words} uses that order, and names the source of the address if it fails`, async () => {
      for (const [from, url, environment] of sources()) {
        const isOption = from === '--url'
        const all = { ...NOWHERE, ...environment, RATAFIA_TOKEN_FILE: join(home, 'token') }
        const line = isOption ? `${words} --url ${url}` : words
        const { code, stderr } = await runHere(line, { input, environment: all })
        assert.equal(code, 3, stderr)
        assert.ok(stderr.includes(`ratafia: ${url}/`), `${from}: ${stderr}`)
        const hint = ` The address comes from ${from}. Pass --url for another.\n`
        assert.equal(stderr.endsWith(hint), !isOption, stderr)
      }
    })
  }

  test('without any of these, the address is where a service without settings listens', async () => {
    const environment = { ...NOWHERE, XDG_CONFIG_HOME: join(home, 'none') }
    const { stderr } = await runHere('logout', { environment })
    assert.equal(stderr, 'ratafia: You are not logged in at http://127.0.0.1:8080.\n')
  })

  test("ignores another user's saved login", async (t) => {
    const { readFile } = fs
    // File permissions would not stop root, so the read is mocked.
    t.mock.method(fs, 'readFile', async (...asked: Parameters<typeof readFile>) => {
      if (!String(asked[0]).endsWith('credentials.json')) return readFile(...asked)
      throw Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open' })
    })
    syncBuiltinESMExports()
    t.after(() => {
      t.mock.restoreAll()
      syncBuiltinESMExports()
    })
    const environment = { ...NOWHERE, XDG_CONFIG_HOME: home, RATAFIA_BASE_URL: AT.base }
    const { code, stderr } = await runHere('tokens create --all', { environment })
    assert.deepEqual([code, stderr.includes(`ratafia: ${AT.base}/`)], [3, true], stderr)
  })

  test('the message about an unreadable saved login explains how to work without it', async () => {
    const broken = join(home, 'broken')
    await mkdir(join(broken, 'ratafia'), { recursive: true })
    await writeFile(join(broken, 'ratafia', 'credentials.json'), '{')
    const environment = { ...NOWHERE, XDG_CONFIG_HOME: broken, RATAFIA_BASE_URL: AT.base }
    const { code, stderr } = await runHere('tokens create --all', { environment })
    assert.equal(code, 1)
    assert.match(stderr, /log in again\. To work without it, pass --url or set RATAFIA_URL\.\n$/)
    const given = await runHere(`tokens create --all --url ${AT.option}`, { environment })
    assert.ok(given.stderr.includes(`ratafia: ${AT.option}/`), given.stderr)
  })

  test('works without a home directory, where there is no last login', async () => {
    const environment = { HOME: 'relative', RATAFIA_BASE_URL: AT.base }
    const { code, stderr } = await runHere('tokens create --all', { environment })
    assert.deepEqual([code, stderr.includes(`ratafia: ${AT.base}/`)], [3, true], stderr)
  })
})
