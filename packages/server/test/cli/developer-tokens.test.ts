/** Developers create, rotate, attenuate, explain and revoke their own tokens with `ratafia tokens`. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  addFirstPartyCaveat,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
} from '@ratafia/macaroon'
import { macaroonsIn } from '../../src/http/credentials/presented.ts'
import { oneDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { startCommand } from '../support/login-command.ts'
import { addManager, managementToken } from '../support/managers.ts'
import { testProgram, type Variables } from '../support/program.ts'
import { call, presenting, sessionIdOf, type TestService } from '../support/service.ts'

const PASSWORD = 'correct horse battery'
const FORMS = ['raw', 'onprem', 'snapcraft', 'charmcraft'] as const

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let url: string
  let home: string
  /** The path of the agents file of the account `build`, which is also an auditor. */
  let farm: string

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'ratafia-home-'))
    await program.addAccount('ada', '', PASSWORD)
    await program.addAccount('build', '--role auditor')
    service = await program.serve()
    url = service.baseUrl
    farm = join(home, 'farm.json')
    await program.says(`agents add farm --account build --url ${url}/identity --output ${farm}`)
  })
  after(() => rm(home, { recursive: true, force: true }))

  interface More {
    readonly input?: string
    readonly environment?: Variables
  }
  /** Starts a command on a machine that knows only the address of the service. */
  const start = (words: string, { input = '', environment = {} }: More = {}) =>
    startCommand(`tokens ${words}`, { XDG_CONFIG_HOME: home, RATAFIA_URL: url, ...environment }, { input })
  const run = (words: string, more?: More) => start(words, more).finished
  const asFarm = () => ({ RATAFIA_AGENT_FILE: farm })
  const create = async (words = ''): Promise<string> => {
    const all = /--(permission|channel)/.test(words) ? '' : '--all'
    const { code, stdout, stderr } = await run(`create --agent ${farm} ${words} ${all}`)
    assert.equal(code, 0, stderr)
    assert.match(
      stderr,
      /^The token belongs to the session [0-9a-f-]{36}\. To revoke the token, revoke the session\.\n$/,
    )
    assert.match(stdout, /^[\w+/=-]+\n$/)
    const { services = {} } = JSON.parse(
      await readFile(join(home, 'ratafia/credentials.json'), 'utf8').catch(() => '{}'),
    )
    assert.deepEqual(services, {}, 'the credential is stored nowhere')
    return stdout.trim()
  }
  const whoami = async (text: string) => {
    const headers = presenting(macaroonsIn(decoded(text))[0])
    return call(service, 'GET', '/api/v2/tokens/whoami', { headers })
  }
  /** Returns the token itself: charmcraft's credential is its base64. */
  const decoded = (text: string): string => {
    const inside = Buffer.from(text, 'base64').toString('latin1')
    return /^[A-Za-z0-9_-]{40,}$/.test(inside) ? inside : text
  }
  const sessionOf = (text: string): string => sessionIdOf(macaroonsIn(decoded(text))[0][0])
  const refuses = async (words: string, message: RegExp, code = 1, more?: More) => {
    const refused = await run(words, more)
    assert.deepEqual([refused.code, refused.stdout], [code, ''], `${words}: ${refused.stderr}`)
    assert.match(refused.stderr, message)
    return refused.stderr
  }
  const me = (token: string) =>
    call(service, 'GET', '/api/management/v1/me', { headers: { authorization: `Macaroon ${token}` } })
  const build = async () =>
    (await service.installation.accounts.findByUsername('build' as never)) ?? assert.fail()

  for (const form of FORMS) {
    test(`attenuate narrows a ${form} credential repeatedly, and keeps its format`, async () => {
      const text = await create(`--for ${form} --channel edge --channel beta/*`)
      const first = await run('attenuate --channel beta/one --permission package_upload', {
        input: `${text}\n`,
      })
      assert.deepEqual([first.code, first.stderr], [0, ''])
      const until = new Date(Date.now() + 3_600_000).toISOString()
      const environment = { TOKEN: first.stdout.trim() }
      const second = await run(`attenuate env:TOKEN --until ${until}`, { environment })
      assert.equal(second.code, 0, second.stderr)
      const { status, body } = await whoami(second.stdout.trim())
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.channels, body.permissions], [['beta/one'], ['package_upload']])
      assert.equal(`${body.expires}Z`, until)
      assert.deepEqual((await whoami(text)).body.channels, ['edge', 'beta/*'])
    })
  }

  test('attenuate refuses limits that widen a token, and tokens that it cannot read', async () => {
    const input = await create('--permission package_upload --channel edge --expires 1d')
    for (const [words, code, message] of [
      ['--channel stable', 1, /--channel "stable" is outside the token's limits: edge\./],
      ['--channel *', 1, /"\*" is outside/],
      ['--permission package_access', 1, /--permission "package_access"/],
      ['--until 2d', 1, /already expires at/],
      ['--permission fly', 2, /There is no permission "fly"/],
      ['', 2, /Pass at least one limit/],
    ] as const) {
      await refuses(`attenuate ${words}`, message, code, { input })
    }
    await refuses('attenuate --until 1h', /does not contain a token that/, 1, { input: 'rubbish' })
    await refuses('attenuate env:NONE --until 1h', /NONE is not set/, 2)
    const many = Array.from({ length: 130 }, () => 'time-before 2100-01-01T00:00:00Z').reduce(
      addFirstPartyCaveat,
      decodeBinary(decodeBase64(input))[0] ?? assert.fail(),
    )
    await refuses('attenuate --until 1h', /./, 1, { input: encodeBase64Url(encodeBinary(many)) })
    const management = { input: await managementToken(service, await build()) }
    const limits = /Limit it with --role, --brand, --read-only and --until/
    await refuses('attenuate --channel edge', limits, 1, management)
    const shorter = await run('attenuate --until 1h', management)
    const { body } = await me(shorter.stdout.trim())
    assert.ok(Date.parse(body.expires) < Date.now() + 3_600_001)
  })

  test('attenuate limits a management token to fewer roles and brands, and to reading', async () => {
    const carol = await addManager(service, 'brand-manager acme', 'viewer other')
    const token = await managementToken(service, carol)
    const may = async (text: string) => {
      const { status, body } = await me(text)
      assert.equal(status, 200, JSON.stringify(body))
      return body.permissions.map((one: { permission: string; brands: string[] }) =>
        [one.permission, ...one.brands].join(' '),
      )
    }
    const attenuate = async (input: string, words: string) => {
      const { code, stdout, stderr } = await run(`attenuate ${words}`, { input })
      assert.equal(code, 0, stderr)
      return stdout.trim()
    }
    const one = await attenuate(token, '--role device-approver')
    assert.deepEqual(await may(one), [
      ...['devices:read acme other', 'devices:decide acme', 'models:read acme other'],
    ])
    const two = await attenuate(one, '--brand acme --read-only')
    assert.deepEqual(await may(two), ['devices:read acme', 'models:read acme'])
    assert.deepEqual(await may(await attenuate(token, '--brand other')), [
      ...['devices:read other', 'models:read other'],
    ])
    for (const [input, words, said] of [
      [token, '--role operator', /--role "operator" is outside the token's roles and brands/],
      [one, '--role brand-manager', /--role "brand-manager" is outside/],
      [two, '--brand other', /--brand "other" is outside/],
      [two, '--role device-approver', /--role "device-approver" is outside/],
      [token, "--brand 'a b'", /outside/],
      [await create(), '--role viewer', /This is a developer token, which has no roles/],
    ] as const) {
      await refuses(`attenuate ${words}`, said, 1, { input })
    }
    await refuses('attenuate --role king', /is not a role/, 2, { input: token })
  })

  test('refuses a token in an argument, and does not print it', async () => {
    const text = await create()
    for (const words of [`attenuate ${text} --until 1h`, `explain ${text}`, `rotate ${text}`]) {
      const environment = asFarm()
      const stderr = await refuses(words, /Don't pass a token as an argument/, 2, { environment })
      assert.ok(!stderr.includes(text.slice(0, 30)))
    }
  })

  test('rotate keeps limits, format and lifetime, and revokes the old token', async () => {
    for (const form of FORMS) {
      const old = await create(`--for ${form} --channel edge --expires 20d --description ci`)
      const { code, stdout, stderr } = await run(`rotate --agent ${farm}`, { input: old })
      assert.equal(code, 0, stderr)
      const { body } = await whoami(stdout.trim())
      assert.deepEqual(body.channels, ['edge'])
      const days = (Date.parse(`${body.expires}Z`) - Date.now()) / 86_400_000
      assert.ok(days > 19.9 && days <= 20.1, body.expires)
      assert.match(stderr, new RegExp(`Revoked the replaced session ${sessionOf(old)}\\.`))
      assert.equal((await whoami(old)).status, 401)
      const records: readonly Record<string, string>[] = await program.json('tokens list --account build')
      const record = records.find(({ session_id: id }) => id === sessionOf(stdout.trim()))
      assert.equal(record?.['description'], 'ci')
    }
  })

  test('rotate --overlap keeps the old token valid for a time', async () => {
    const old = await create()
    const words = `rotate env:OLD --agent ${farm} --overlap 7d --for onprem`
    await refuses(words, /You are not logged in/, 1, { environment: { OLD: old } })
    await refuses('rotate --overlap 31d', /at most 30d/, 2, { input: old })
    const { code, stdout, stderr } = await run(words, { environment: { OLD: old, ...asFarm() } })
    assert.equal(code, 0, stderr)
    assert.equal((await whoami(stdout.trim())).status, 200)
    const { body } = await whoami(old)
    const days = (Date.parse(`${body.expires}Z`) - Date.now()) / 86_400_000
    assert.ok(days > 6.9 && days <= 7, body.expires)
  })

  test('rotate by another account changes nothing, and does not create a token', async () => {
    const old = await create()
    const active = async () => (await program.json('tokens list --account ada')).length
    const before = await active()
    const running = start('rotate', { input: old })
    const browser = new Browser()
    const signIn = await browser.open(await running.visit())
    const page = await browser.submit(signIn, 'login', { username: 'ada', password: PASSWORD })
    await browser.submit(page, 'confirm', { decision: 'approve' })
    const { code, stdout, stderr } = await running.finished
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /The token belongs to build, but you logged in as ada\. Nothing was changed/)
    assert.equal((await whoami(old)).status, 200)
    assert.equal(await active(), before)
  })

  test('explain shows the permissions of a token or why it is refused, and requires a login', async () => {
    const text = await create('--channel edge --for onprem')
    const explain = (input: string, words = '') => run(`explain ${words}`, { input, environment: asFarm() })
    const { code, stdout } = await explain(`export SNAPCRAFT_STORE_CREDENTIALS='${text}'\n`)
    assert.equal(code, 0)
    assert.match(stdout, /kind: +developer token\naccepted: +yes\nusername: +build\n/)
    assert.match(stdout, /permissions: +all\nchannels: +edge\n/)
    const record = JSON.parse((await explain(text, '--json')).stdout)
    assert.deepEqual([record.session_id, record.limits.channels], [sessionOf(text), ['edge']])
    for (const form of FORMS) {
      const { accepted } = JSON.parse((await explain(await create(`--for ${form}`), '--json')).stdout)
      assert.equal(accepted, true, form)
    }
    const rubbish = await explain('rubbish')
    assert.equal(rubbish.code, 0)
    assert.match(rubbish.stdout, /accepted: +no\nbecause: +The macaroon is malformed/)
    await refuses('explain', /You are not logged in/, 1, { input: text })
  })

  test('shorten changes the expiry of a session, and revoke --mine --all revokes the others', async () => {
    const [one, two] = [await create(), await create()]
    const shortened = await run(`shorten ${sessionOf(one)} --until 2d`, { environment: asFarm() })
    assert.equal(shortened.code, 0)
    assert.match(shortened.stdout, /^The session .* now expires at .*Z\.\n$/)
    // An agent can revoke a single session; only a person can revoke all.
    const all = `revoke --mine --all --all-but ${sessionOf(two)} --yes`
    await refuses(all, /Only a person/, 1, { environment: asFarm() })
    const file = join(home, 'token')
    const person = async () => {
      const token = await managementToken(service, await build())
      await writeFile(file, token)
      return { token, environment: { RATAFIA_TOKEN_FILE: file } }
    }
    const first = await person()
    const done = await run(all, first)
    assert.equal(done.code, 0, done.stderr)
    assert.match(done.stdout, /^Revoked \d+ sessions\.\n$/)
    assert.deepEqual([(await whoami(one)).status, (await whoami(two)).status], [401, 200])
    assert.equal((await me(first.token)).status, 401, 'the own login was not in --all-but')
    const rest = await run('revoke --mine --all --yes --json', await person())
    assert.deepEqual(JSON.parse(rest.stdout), { username: 'build', revoked: 2 })
    assert.equal((await whoami(two)).status, 401)
    for (const wrong of ['--mine --all --account build', '--mine --all --direct', 'x --all-but y']) {
      await refuses(`revoke ${wrong} --yes`, /./, 2)
    }
    await rm(file)
  })
})
