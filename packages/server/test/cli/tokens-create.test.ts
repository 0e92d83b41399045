/** `ratafia tokens create` against a running service, in every format, by an agent and in a browser. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { bindDischarge, decodeBase64, decodeBinary, encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { generateKeyPair } from '@ratafia/macaroon/bakery'
import { freePort } from '../../../../tools/test/free-port.ts'
import { line, wordsIn } from '../support/cases.ts'
import { oneDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { Browser } from '../support/identity.ts'
import { startTokensCreate, tokensCreate } from '../support/login-command.ts'
import { type Program, testProgram } from '../support/program.ts'
import { type Answer, bearing, call, type TestService } from '../support/service.ts'

const PASSWORD = 'correct horse battery'

const fromBase64 = (text: string): string => Buffer.from(text.trim(), 'base64').toString()

/** The headers in which a tool presents each format to the service. */
const PRESENTED: Readonly<Record<string, (text: string) => Record<string, string>>> = {
  snapcraft: (text) => {
    const { t, v } = JSON.parse(fromBase64(text))
    assert.equal(t, 'u1-macaroon')
    return { authorization: `Macaroon root=${v.r}, discharge=${bound(v.r, v.d)}` }
  },
  onprem: (text) => {
    const { t, v } = JSON.parse(fromBase64(text))
    assert.equal(t, 'macaroon')
    return { authorization: `macaroon ${v}` }
  },
  charmcraft: (text) => bearing(fromBase64(text)),
  raw: (text) => bearing(text.trim()),
  env: (text) => {
    const [, credentials = ''] = /^export SNAPCRAFT_STORE_CREDENTIALS='([^']+)'$/m.exec(text) ?? []
    return PRESENTED['snapcraft']?.(credentials) ?? {}
  },
}

/** Binds the discharge as tools do, at each request. */
function bound(root: string, discharge: string): string {
  const [first] = decodeBinary(decodeBase64(root))
  const [second] = decodeBinary(decodeBase64(discharge))
  assert.ok(first && second)
  assert.deepEqual([first.version, second.version], [1, 1])
  return encodeBase64Url(encodeBinary(bindDischarge(first, second)))
}

async function withPeople(program: Program, environment = {}): Promise<TestService> {
  await program.addAccount('ada', '', PASSWORD)
  await program.addAccount('build')
  return program.serve(environment)
}

async function addAgent(program: Program, name: string, baseUrl: string): Promise<string> {
  const output = join(program.directory, `${name}.json`)
  await program.says(`agents add ${name} --account build --url ${baseUrl}/identity --output ${output}`)
  return output
}

/** Signs in as a person, and decides about the login. Returns the text of the page that asks. */
async function decide(visit: string, decision: 'approve' | 'refuse'): Promise<string> {
  const browser = new Browser()
  const signIn = await browser.open(visit)
  const confirm = await browser.submit(signIn, 'login', { username: 'ada', password: PASSWORD })
  assert.equal(confirm.title, 'Approve this login?')
  await browser.submit(confirm, 'confirm', { decision })
  return confirm.text
}

const sessionIn = (stderr: string): string => {
  const [, id = ''] =
    /^The token belongs to the session ([0-9a-f-]{36})\. To revoke the token, revoke the session\.\n$/m.exec(
      stderr,
    ) ?? []
  assert.notEqual(id, '', stderr)
  return id
}

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let service: TestService
  let url: string
  let agent: string
  before(async () => {
    service = await withPeople(program)
    url = service.baseUrl
    agent = await addAgent(program, 'farm', url)
  })
  const whoami = (headers: Record<string, string>): Promise<Answer> =>
    call(service, 'GET', '/api/v2/tokens/whoami', { headers })

  for (const [form, presented] of Object.entries(PRESENTED)) {
    test(`${form}: an agent gets only the credential, which works until it is revoked`, async () => {
      const { code, stdout, stderr } = await tokensCreate(`--all --for ${form} --url ${url} --agent ${agent}`)
      assert.equal(code, 0, stderr)
      assert.match(stdout, form === 'env' ? /^(export [A-Z_]+='[^'\n]+'\n){7}$/ : /^[A-Za-z0-9+/=_-]+\n$/)
      const sessionId = sessionIn(stderr)
      assert.equal(stderr.split('\n').length, 2, 'there is more than one line')
      const { status, body } = await whoami(presented(stdout))
      assert.deepEqual({ status, username: body.account?.username }, { status: 200, username: 'build' })

      const records: readonly Record<string, string>[] = await program.json('tokens list --account build')
      const record = records.find(({ session_id: id }) => id === sessionId)
      assert.match(record?.['description'] ?? '', /^ratafia@/)
      assert.equal((await program.run(['tokens', 'revoke', sessionId])).code, 0)
      // The service is notified of the revocation by another process.
      const refused = await eventually('the credential is refused', async () => {
        const answer = await whoami(presented(stdout))
        return answer.status === 200 ? undefined : answer
      })
      assert.equal(refused.status, 401)
      assert.match(refused.body.error_list[0].message, /was revoked at .* by operator/)
    })
  }

  test('--for env prints the addresses of the service for a shell', async () => {
    const { stdout } = await tokensCreate(['--all', '--for', 'env', '--url', `${url}/`, '--agent', agent])
    for (const name of ['STORE_DASHBOARD_URL', 'UBUNTU_ONE_SSO_URL', 'CHARMCRAFT_STORE_API_URL']) {
      assert.ok(stdout.includes(`export ${name}='${url}'\n`), stdout)
    }
  })

  test('the credential has the limits that the options request, in both dialects', async () => {
    const limits =
      '--permission package_upload --permission package_release --channel edge --channel beta --store acme'
    for (const form of ['raw', 'snapcraft']) {
      const { stdout, stderr, code } = await tokensCreate(line`
        --for ${form} --url ${url} --agent ${agent} ${wordsIn(limits)} --expires 2100-01-31T12:00:00Z
        --description 'the release job'`)
      assert.equal(code, 0, stderr)
      const { body } = await whoami(PRESENTED[form]?.(stdout) ?? {})
      const { account: _, errors: __, ...rest } = body
      assert.deepEqual(rest, {
        ...{ permissions: ['package_upload', 'package_release'], channels: ['edge', 'beta'] },
        ...{ packages: null, store_ids: ['acme'], expires: '2100-01-31T12:00:00.000' },
      })
    }
  })

  test('every credential begins with the prefix that the service publishes for secret scanners', async () => {
    const { body } = await call(service, 'GET', '/')
    for (const [form, name] of [
      ['raw', 'token-prefix'],
      ['snapcraft', 'stored-root-prefix'],
    ] as const) {
      const { stdout } = await tokensCreate(['--all', '--for', form, '--url', url, '--agent', agent])
      assert.ok(stdout.startsWith(body[name]), `${stdout} begins with ${body[name]}`)
      if (form !== 'snapcraft') continue
      const { v } = JSON.parse(fromBase64(stdout))
      assert.ok(v.r.startsWith(body['root-prefix']), `${v.r} begins with ${body['root-prefix']}`)
    }
  })

  test('--expires accepts a duration from now, and is 90 days by default', async () => {
    const lifeOf = async (words: string) => {
      const { stdout } = await tokensCreate(`--all ${words} --url ${url} --agent ${agent}`)
      const { body } = await whoami(PRESENTED['raw']?.(stdout) ?? {})
      return (Date.parse(`${body.expires}Z`) - Date.now()) / 3_600_000
    }
    const hours = await lifeOf('--for raw --expires 2h')
    assert.ok(hours > 1 && hours <= 2, String(hours))
    const days = (await lifeOf('')) / 24
    assert.ok(days > 89.9 && days <= 90, String(days))
  })

  test('prints the credential after a person sees the request in a browser and approves it', async () => {
    const running = startTokensCreate(line`
      --for charmcraft --url ${url} --permission package_upload --expires 1d --description 'for charmcraft'`)
    const page = await decide(await running.visit(), 'approve')
    assert.ok(page.includes('package_upload') && page.includes('for charmcraft'), page)
    const { code, stdout, stderr } = await running.finished
    assert.equal(code, 0, stderr)
    const { body } = await whoami(PRESENTED['charmcraft']?.(stdout) ?? {})
    assert.deepEqual([body.account.username, body.permissions], ['ada', ['package_upload']])
    sessionIn(stderr)
  })

  test('exits with 1, without a session, if the user rejects the login', async () => {
    const count = async () => (await program.json('tokens list --account ada --include-inactive')).length
    const sessions = await count()
    const running = startTokensCreate(['--all', '--for', 'raw', '--url', url])
    await decide(await running.visit(), 'refuse')
    const { code, stdout, stderr } = await running.finished
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(
      stderr,
      /\nratafia: http\S+\/identity\/wait-token: The login was rejected in the browser\.\n$/,
    )
    assert.equal(await count(), sessions)
  })

  test('exits with 1 for a wrong key, a removed agent or a disabled account', async () => {
    const file = JSON.parse(await readFile(agent, 'utf8'))
    const other = generateKeyPair()
    file.key = {
      public: Buffer.from(other.publicKey).toString('base64'),
      private: Buffer.from(other.privateKey).toString('base64'),
    }
    const wrong = join(program.directory, 'wrong.json')
    await writeFile(wrong, JSON.stringify(file))
    const removed = await addAgent(program, 'gone', url)
    assert.equal((await program.run('agents remove gone --yes')).code, 0)
    for (const path of [wrong, removed]) {
      const { code, stdout, stderr } = await tokensCreate(line`--all --for raw --url ${url} --agent ${path}`)
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(stderr, /^ratafia: http\S+\/identity\/login\/agent: /)
      assert.ok(!stderr.includes(file.key.private))
    }
    assert.equal((await program.run('accounts disable build --yes')).code, 0)
    await eventually('the disabled account is refused', async () => {
      const { code } = await tokensCreate(['--all', '--for', 'raw', '--url', url, '--agent', agent])
      return code === 1
    })
    assert.equal((await program.run('accounts enable build')).code, 0)
  })
})

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)

  test('works with a service below a path', async () => {
    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}/store`
    await withPeople(program, { RATAFIA_PORT: String(port), RATAFIA_BASE_URL: baseUrl })
    const agent = await addAgent(program, 'farm', baseUrl)
    const { code, stdout, stderr } = await tokensCreate(line`
      --all --for env --url ${baseUrl} --agent ${agent}`)
    assert.equal(code, 0, stderr)
    assert.ok(stdout.includes(`export STORE_DASHBOARD_URL='${baseUrl}'\n`), stdout)
    assert.ok(stdout.includes(`export CHARMCRAFT_STORE_API_URL='${baseUrl}/'\n`), stdout)
    const { status } = await call({ baseUrl }, 'GET', '/api/v2/tokens/whoami', {
      headers: PRESENTED['env']?.(stdout) ?? {},
    })
    assert.equal(status, 200)
  })
})
