/** `ratafia ci login` with services and platforms that are busy, unreachable or hostile. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CREDENTIALS, ciJobs, idTokenFor, MINTED, onGitHub, TOKEN } from '../support/ci-job.ts'
import { json, type Respond } from '../support/login-stubs.ts'

const EXCHANGE = 'POST /api/v2/tokens/oidc'

const refusal = (error: string, description: string, extra = {}) => ({
  error,
  error_description: description,
  error_list: [{ code: error.replaceAll('_', '-'), message: description, extra }],
})

/** Sends one answer after the other, and repeats the last one. */
function oneAfterTheOther(...answers: readonly Respond[]): Respond {
  let at = 0
  return (...request) => answers[Math.min(at++, answers.length - 1)]?.(...request)
}

describe('ratafia ci login', () => {
  const jobs = ciJobs()
  const stdout = ['--export', 'stdout']

  test('retries a busy service and a broken connection with a fresh ID token and the same key', async () => {
    const job = await jobs.start({
      [EXCHANGE]: oneAfterTheOther(
        json(refusal('temporarily_unavailable', 'The keys are unavailable.'), 503, { 'retry-after': '1' }),
        (request) => void request.socket.destroy(),
        json(MINTED),
      ),
    })
    const { code, stdout: out, stderr } = await job.login(stdout, onGitHub(job.url))
    assert.deepEqual({ code, out }, { code: 0, out: `${CREDENTIALS}\n` }, stderr)
    const tokens = job.exchanges().map((sent) => sent.get('subject_token'))
    assert.equal(new Set(tokens).size, 3)
    const keys = job.seen.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    assert.deepEqual({ sent: keys.length, different: new Set(keys).size }, { sent: 3, different: 1 })
    assert.match(stderr, /The keys are unavailable\. Trying again in 1 s\.\n/)
    // Each secret is masked before it is sent.
    assert.equal(stderr.match(/^::add-mask::/gm)?.length, 5)
  })

  test('a job with only one ID token retries with it and the same key', async () => {
    const job = await jobs.start({
      [EXCHANGE]: oneAfterTheOther((request) => void request.socket.destroy(), json(MINTED)),
    })
    const { code } = await job.login(stdout, { RATAFIA_ID_TOKEN: idTokenFor(job.url) })
    assert.equal(code, 0)
    const tokens = job.exchanges().map((sent) => sent.get('subject_token'))
    const keys = job.seen.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    assert.deepEqual([tokens.length, new Set(tokens).size, new Set(keys).size], [2, 1, 1])
  })

  test('retries a busy platform', async () => {
    const job = await jobs.start({
      'GET /actions/idtoken': oneAfterTheOther(json({}, 503), (request, response) =>
        json({ value: idTokenFor(`http://${request.headers.host}`) })(request, response, ''),
      ),
    })
    const { code, stderr } = await job.login(stdout, onGitHub(job.url))
    assert.equal(code, 0, stderr)
  })

  test('exits with 3 at once if the service is busy for longer than a minute', async () => {
    const job = await jobs.start({
      [EXCHANGE]: json(refusal('slow_down', 'There are too many.'), 429, { 'retry-after': '90' }),
    })
    const { code, stdout: out, stderr } = await job.login(stdout, onGitHub(job.url))
    assert.deepEqual({ code, out, tries: job.exchanges().length }, { code: 3, out: '', tries: 1 })
    assert.match(stderr, /ratafia: .*\/api\/v2\/tokens\/oidc: There are too many\./)
  })

  test('prints a refusal with its audit entry, does not retry, and exits with 1', async () => {
    const description = 'Nothing here is granted to this job.'
    const job = await jobs.start({
      [EXCHANGE]: json(refusal('invalid_grant', description, { audit: '0190-entry' }), 400),
    })
    const { code, stdout: out, stderr } = await job.login(stdout, onGitHub(job.url))
    assert.deepEqual({ code, out, tries: job.exchanges().length }, { code: 1, out: '', tries: 1 })
    assert.match(
      stderr,
      /oidc: Nothing here is granted to this job\. The operator can find details in audit entry 0190-entry\.\n/,
    )
  })

  test('removes the ID token and log commands from the messages of a hostile service', async () => {
    const token = { sent: '' }
    const echo =
      (status: number): Respond =>
      (request, response, body) => {
        token.sent = new URLSearchParams(body).get('subject_token') ?? ''
        const said = `I have ${token.sent} now\n::add-path::/evil ##vso[task.prependpath]/evil ##[add-path]/evil`
        json(refusal('invalid_grant', said), status)(request, response, body)
      }
    const job = await jobs.start({ [EXCHANGE]: oneAfterTheOther(echo(503), echo(400)) })
    const { stderr } = await job.login(stdout, { RATAFIA_ID_TOKEN: idTokenFor(job.url) })
    assert.match(stderr, /oidc: I have … now\?::add-path::\/evil .* Trying again in 1 s\.\n/)
    assert.match(stderr, /ratafia: .*oidc: I have … now\?::add-path::\/evil .*\n/)
    // Azure DevOps obeys these anywhere in a line.
    assert.doesNotMatch(stderr, /##(vso)?\[/)
    assert.ok(token.sent !== '' && !stderr.includes(token.sent))
  })

  test('masks log commands in a credential, so that the platform does not run them', async () => {
    const parts = { t: 'macaroon', v: '100%0A\n::add-path::/evil\r##[add-path]/evil' }
    const credentials = Buffer.from(JSON.stringify(parts)).toString('base64')
    const job = await jobs.start({ [EXCHANGE]: json({ ...MINTED, credentials }) })
    const { code, stderr } = await job.login(stdout, onGitHub(job.url))
    assert.equal(code, 0, stderr)
    const lines = stderr.split('\n').filter((line) => /%|add-path/.test(line))
    assert.deepEqual(lines, [
      '::add-mask::100%250A',
      '::add-mask::::add-path::/evil',
      '::add-mask::##[add-path]/evil',
    ])
  })

  test('sends no request to a metadata server that is not a host', async () => {
    const job = await jobs.start({})
    const host = `${new URL(job.url).host}/elsewhere?`
    const { code, stderr } = await job.login([...stdout, '--from', 'google'], { GCE_METADATA_HOST: host })
    assert.deepEqual([code, job.seen.map(({ path }) => path)], [1, ['/api/v2/tokens/oidc']])
    assert.match(stderr, /GCE_METADATA_HOST is not a host\./)
  })

  test('exits with 3 without a retry if clients refuse to use the port', async () => {
    const job = await jobs.start()
    const { code, stderr } = await job.login([...stdout, '--url', 'http://127.0.0.1:9'], onGitHub(job.url))
    assert.equal(code, 3)
    assert.match(stderr, /browsers and other clients refuse to use that port/)
    assert.doesNotMatch(stderr, /Trying again/)
  })

  test('does not follow redirects, from the service or from the platform', async () => {
    const away: Respond = (request, response) =>
      void response.writeHead(307, { location: `http://${request.headers.host}/stolen` }).end()
    for (const path of [EXCHANGE, 'GET /api/v2/tokens/oidc', 'GET /actions/idtoken']) {
      const job = await jobs.start({ [path]: away })
      const { code, stderr } = await job.login(stdout, onGitHub(job.url))
      assert.equal(code, 1)
      assert.match(stderr, /redirects to another address, and redirects are not followed/)
      assert.deepEqual(
        job.seen.filter((one) => one.path.startsWith('/stolen')),
        [],
      )
    }
  })

  test('does not send the ID token to a service that names the audience of another service', async () => {
    const job = await jobs.start({
      'GET /api/v2/tokens/oidc': json({ audience: 'https://store.example.com' }),
    })
    const { code, stderr } = await job.login(stdout, onGitHub(job.url))
    assert.deepEqual({ code, asked: job.seen.length }, { code: 1, asked: 1 })
    assert.match(stderr, /requests an ID token for "https:\/\/store\.example\.com".*pass it with --audience/)

    const meant = await job.login([...stdout, '--audience', 'https://store.example.com'], onGitHub(job.url))
    assert.equal(meant.code, 0, meant.stderr)
  })

  const AUDIENCE = 'GET /api/v2/tokens/oidc'
  const PLATFORM = 'GET /actions/idtoken'
  const page: Respond = (_, to) => void to.end('<html>')
  const minted = (changed: object) => json({ ...MINTED, ...changed })
  const refuses = json({ message: 'secret' }, 401)
  const STRANGE: readonly (readonly [what: string, path: string, respond: Respond, said: RegExp])[] = [
    ['no such endpoint', AUDIENCE, json({}, 404), /no audience for ID tokens\. It may be another program/],
    ['an HTML page', AUDIENCE, page, /no audience for ID tokens/],
    ['no credential', EXCHANGE, minted({ credentials: undefined }), /with no credential/],
    [
      'a line break in the credential',
      EXCHANGE,
      minted({ credentials: `${CREDENTIALS}\nX=1` }),
      /with no credential/,
    ],
    ['no session', EXCHANGE, minted({ session_id: '$(id)' }), /with no session/],
    ['no ID token', PLATFORM, json({ token: 'x' }), /did not return an ID token: its answer has no "value"/],
    ['a refusal', PLATFORM, refuses, /refused to issue an ID token: it answered with status 401\./],
  ]
  for (const [what, path, respond, said] of STRANGE) {
    test(`${what}: exits with 1, and exports nothing`, async () => {
      const job = await jobs.start({ [path]: respond })
      const { code, stdout: out, stderr } = await job.login(stdout, onGitHub(job.url))
      assert.deepEqual({ code, out }, { code: 1, out: '' })
      assert.match(stderr, said)
      const spoken = stderr.split('\n').filter((line) => !line.startsWith('::add-mask::'))
      assert.doesNotMatch(spoken.join('\n'), new RegExp(`${TOKEN}|${CREDENTIALS}|secret`))
    })
  }

  test('control characters in the name of a rule never reach the terminal', async () => {
    const job = await jobs.start({ [EXCHANGE]: json({ ...MINTED, rule: 'a\u001b[31mb\n::add-path::/evil' }) })
    const { stderr } = await job.login(stdout, onGitHub(job.url))
    assert.match(stderr, /The rule a\?\[31mb\?::add-path::\/evil granted it/)
  })
})
