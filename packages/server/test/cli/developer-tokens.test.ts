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
import { line } from '../support/cases.ts'
import { oneDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import { startCommand } from '../support/login-command.ts'
import { addManager, managementToken } from '../support/managers.ts'
import { type Finished, testProgram } from '../support/program.ts'
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
    const add = (name: string, words: readonly string[], input = '') =>
      program.run(['accounts', 'add', name, '--email', `${name}@example.org`, '--name', name, ...words], {
        input,
      })
    assert.equal((await add('ada', ['--password-stdin'], PASSWORD)).code, 0)
    assert.equal((await add('build', ['--no-password', '--role', 'auditor'])).code, 0)
    service = await program.serve()
    url = service.baseUrl
    farm = join(home, 'farm.json')
    const words = line`agents add farm --account build --url ${url}/identity --output ${farm}`
    assert.equal((await program.run(words)).code, 0)
  })
  after(() => rm(home, { recursive: true, force: true }))

  /** Starts a command on a machine that knows only the address of the service. */
  const start = (words: readonly string[], { input = '', environment = {} } = {}) =>
    startCommand(['tokens', ...words], { XDG_CONFIG_HOME: home, RATAFIA_URL: url, ...environment }, { input })
  const run = (words: readonly string[], more: { input?: string; environment?: object } = {}) =>
    start(words, more as never).finished
  const asFarm = () => ({ RATAFIA_AGENT_FILE: farm })
  const create = async (...words: readonly string[]): Promise<string> => {
    const limited = words.includes('--permission') || words.includes('--channel')
    const { code, stdout, stderr } = await run([
      ...['create', '--agent', farm, ...words],
      ...(limited ? [] : ['--all']),
    ])
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
  const refused = ({ code, stdout, stderr }: Finished, expected: number): string => {
    assert.deepEqual([code, stdout], [expected, ''], stderr)
    return stderr
  }

  for (const form of FORMS) {
    test(`attenuate narrows a ${form} credential repeatedly, and keeps its format`, async () => {
      const text = await create('--for', form, '--channel', 'edge', '--channel', 'beta/*')
      const first = await run('attenuate --channel beta/one --permission package_upload', {
        input: `${text}\n`,
      })
      assert.deepEqual([first.code, first.stderr], [0, ''])
      const until = new Date(Date.now() + 3_600_000).toISOString()
      const second = await run(['attenuate', 'env:TOKEN', '--until', until], {
        environment: { TOKEN: first.stdout.trim() },
      })
      assert.equal(second.code, 0, second.stderr)
      const { status, body } = await whoami(second.stdout.trim())
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.channels, body.permissions], [['beta/one'], ['package_upload']])
      assert.equal(`${body.expires}Z`, until)
      assert.deepEqual((await whoami(text)).body.channels, ['edge', 'beta/*'])
    })
  }

  test('attenuate refuses limits that widen a token, and tokens that it cannot read', async () => {
    const text = await create('--permission', 'package_upload', '--channel', 'edge', '--expires', '1d')
    const attempt = (...words: readonly string[]) => run(['attenuate', ...words], { input: text })
    assert.match(
      refused(await attempt('--channel', 'stable'), 1),
      /--channel "stable" is outside the token's limits: edge\./,
    )
    assert.match(refused(await attempt('--channel', '*'), 1), /"\*" is outside/)
    assert.match(refused(await attempt('--permission', 'package_access'), 1), /--permission "package_access"/)
    assert.match(refused(await attempt('--until', '2d'), 1), /already expires at/)
    assert.match(refused(await attempt('--permission', 'fly'), 2), /There is no permission "fly"/)
    assert.match(refused(await attempt(), 2), /Pass at least one limit/)
    assert.match(
      refused(await run('attenuate --until 1h', { input: 'rubbish' }), 1),
      /does not contain a token that/,
    )
    assert.match(refused(await run('attenuate env:NONE --until 1h'), 2), /NONE is not set/)
    const many = Array.from({ length: 130 }, () => 'time-before 2100-01-01T00:00:00Z').reduce(
      addFirstPartyCaveat,
      decodeBinary(decodeBase64(text))[0] ?? assert.fail(),
    )
    const full = encodeBase64Url(encodeBinary(many))
    refused(await run('attenuate --until 1h', { input: full }), 1)
    const build = (await service.installation.accounts.findByUsername('build' as never)) ?? assert.fail()
    const management = { input: await managementToken(service, build) }
    assert.match(
      refused(await run('attenuate --channel edge', management), 1),
      /Limit it with --role, --brand, --read-only and --until/,
    )
    const shorter = await run('attenuate --until 1h', management)
    const file = join(home, 'token')
    await writeFile(file, shorter.stdout)
    const { body } = await call(service, 'GET', '/api/management/v1/me', {
      headers: { authorization: `Macaroon ${shorter.stdout.trim()}` },
    })
    assert.ok(Date.parse(body.expires) < Date.now() + 3_600_001)
    await rm(file)
  })

  test('attenuate limits a management token to fewer roles and brands, and to reading', async () => {
    const carol = await addManager(service, 'brand-manager acme', 'viewer other')
    const token = await managementToken(service, carol)
    const may = async (text: string) => {
      const headers = { authorization: `Macaroon ${text}` }
      const { status, body } = await call(service, 'GET', '/api/management/v1/me', { headers })
      assert.equal(status, 200, JSON.stringify(body))
      return body.permissions.map((one: { permission: string; brands: string[] }) =>
        [one.permission, ...one.brands].join(' '),
      )
    }
    const attenuate = async (input: string, ...words: readonly string[]) => {
      const { code, stdout, stderr } = await run(['attenuate', ...words], { input })
      assert.equal(code, 0, stderr)
      return stdout.trim()
    }
    const one = await attenuate(token, '--role', 'device-approver')
    assert.deepEqual(await may(one), [
      ...['devices:read acme other', 'devices:decide acme', 'models:read acme other'],
    ])
    const two = await attenuate(one, '--brand', 'acme', '--read-only')
    assert.deepEqual(await may(two), ['devices:read acme', 'models:read acme'])
    assert.deepEqual(await may(await attenuate(token, '--brand', 'other')), [
      ...['devices:read other', 'models:read other'],
    ])
    for (const [input, words, said] of [
      [token, ['--role', 'operator'], /--role "operator" is outside the token's roles and brands/],
      [one, ['--role', 'brand-manager'], /--role "brand-manager" is outside/],
      [two, ['--brand', 'other'], /--brand "other" is outside/],
      [two, ['--role', 'device-approver'], /--role "device-approver" is outside/],
      [token, ['--brand', 'a b'], /outside/],
      [await create(), ['--role', 'viewer'], /This is a developer token, which has no roles/],
    ] as const) {
      assert.match(refused(await run(['attenuate', ...words], { input }), 1), said)
    }
    assert.match(refused(await run('attenuate --role king', { input: token }), 2), /is not a role/)
  })

  test('refuses a token in an argument, and does not print it', async () => {
    const text = await create()
    for (const words of [
      ['attenuate', text, '--until', '1h'],
      ['explain', text],
      ['rotate', text],
    ]) {
      const stderr = refused(await run(words, { environment: asFarm() }), 2)
      assert.match(stderr, /Don't pass a token as an argument/)
      assert.ok(!stderr.includes(text.slice(0, 30)))
    }
  })

  test('rotate keeps limits, format and lifetime, and revokes the old token', async () => {
    for (const form of FORMS) {
      const old = await create('--for', form, '--channel', 'edge', '--expires', '20d', '--description', 'ci')
      const { code, stdout, stderr } = await run(['rotate', '--agent', farm], { input: old })
      assert.equal(code, 0, stderr)
      const { body } = await whoami(stdout.trim())
      assert.deepEqual(body.channels, ['edge'])
      const days = (Date.parse(`${body.expires}Z`) - Date.now()) / 86_400_000
      assert.ok(days > 19.9 && days <= 20.1, body.expires)
      assert.match(stderr, new RegExp(`Revoked the replaced session ${sessionOf(old)}\\.`))
      assert.equal((await whoami(old)).status, 401)
      const [record] = (await program.json('tokens list --account build')).filter(
        ({ session_id: id }: { session_id: string }) => id === sessionOf(stdout.trim()),
      )
      assert.equal(record.description, 'ci')
    }
  })

  test('rotate --overlap keeps the old token valid for a time', async () => {
    const old = await create()
    const words = ['rotate', 'env:OLD', '--agent', farm, '--overlap', '7d', '--for', 'onprem']
    const without = await run(words, { environment: { OLD: old } })
    assert.match(refused(without, 1), /You are not logged in/)
    const long = await run('rotate --overlap 31d', { input: old })
    assert.match(refused(long, 2), /at most 30d/)
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
    const running = start(['rotate'], { input: old })
    const browser = new Browser()
    const page = await browser.submit(await browser.open(await running.visit()), 'login', {
      ...{ username: 'ada', password: PASSWORD },
    })
    await browser.submit(page, 'confirm', { decision: 'approve' })
    const stderr = refused(await running.finished, 1)
    assert.match(stderr, /The token belongs to build, but you logged in as ada\. Nothing was changed/)
    assert.equal((await whoami(old)).status, 200)
    assert.equal(await active(), before)
  })

  test('explain shows the permissions of a token or why it is refused, and requires a login', async () => {
    const text = await create('--channel', 'edge', '--for', 'onprem')
    const explain = (input: string, ...words: readonly string[]) =>
      run(['explain', ...words], { input, environment: asFarm() })
    const { code, stdout } = await explain(`export SNAPCRAFT_STORE_CREDENTIALS='${text}'\n`)
    assert.equal(code, 0)
    assert.match(stdout, /kind: +developer token\naccepted: +yes\nusername: +build\n/)
    assert.match(stdout, /permissions: +all\nchannels: +edge\n/)
    const record = JSON.parse((await explain(text, '--json')).stdout)
    assert.deepEqual([record.session_id, record.limits.channels], [sessionOf(text), ['edge']])
    for (const form of FORMS) {
      const { accepted } = JSON.parse((await explain(await create('--for', form), '--json')).stdout)
      assert.equal(accepted, true, form)
    }
    const rubbish = await explain('rubbish')
    assert.equal(rubbish.code, 0)
    assert.match(rubbish.stdout, /accepted: +no\nbecause: +The macaroon is malformed/)
    assert.match(refused(await run('explain', { input: text }), 1), /You are not logged in/)
  })

  test('shorten changes the expiry of a session, and revoke --mine --all revokes the others', async () => {
    const [one, two] = [await create(), await create()]
    const words = ['shorten', sessionOf(one), '--until', '2d']
    const { code, stdout } = await run(words, { environment: asFarm() })
    assert.deepEqual([code, /^The session .* now expires at .*Z\.\n$/.test(stdout)], [0, true])
    // An agent can revoke a single session; only a person can revoke all.
    const all = ['revoke', '--mine', '--all', '--all-but', sessionOf(two), '--yes']
    assert.match(refused(await run(all, { environment: asFarm() }), 1), /Only a person/)
    const build = (await service.installation.accounts.findByUsername('build' as never)) ?? assert.fail()
    const file = join(home, 'token')
    const person = async () => {
      const token = await managementToken(service, build)
      await writeFile(file, token)
      return { token, environment: { RATAFIA_TOKEN_FILE: file } }
    }
    const first = await person()
    const done = await run(all, first)
    assert.equal(done.code, 0, done.stderr)
    assert.match(done.stdout, /^Revoked \d+ sessions\.\n$/)
    assert.deepEqual([(await whoami(one)).status, (await whoami(two)).status], [401, 200])
    const own = await call(service, 'GET', '/api/management/v1/me', {
      headers: { authorization: `Macaroon ${first.token}` },
    })
    assert.equal(own.status, 401, 'the own login was not in --all-but')
    const rest = await run('revoke --mine --all --yes --json', await person())
    assert.deepEqual(JSON.parse(rest.stdout), { username: 'build', revoked: 2 })
    assert.equal((await whoami(two)).status, 401)
    for (const wrong of [
      ['revoke', '--mine', '--all', '--account', 'build'],
      ['revoke', '--mine', '--all', '--direct'],
      ['revoke', 'x', '--all-but', 'y'],
    ]) {
      refused(await run([...wrong, '--yes']), 2)
    }
    await rm(file)
  })
})
