/** `ratafia ci login` and `logout` against a running service, with ID tokens signed by a test issuer. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { before, test } from 'node:test'
import { macaroonsIn } from '../../src/http/credentials/presented.ts'
import { line } from '../support/cases.ts'
import { NOWHERE } from '../support/ci-job.ts'
import { oneDatabase } from '../support/databases.ts'
import { type JobsLetIn, letJobsIn, SNAP_ID } from '../support/jobs-let-in.ts'
import { type Finished, runHere, type Variables } from '../support/program.ts'
import { call, presenting, type TestService, testService } from '../support/service.ts'
import { testIssuer } from '../support/test-issuer.ts'

oneDatabase((_kind, _open, fresh) => {
  const service: TestService = testService(fresh)
  const issuer = testIssuer()
  let jobs: JobsLetIn
  before(async () => {
    jobs = await letJobsIn(service, issuer)
  })

  const ci = (words: readonly string[], environment: Variables): Promise<Finished> =>
    runHere(['ci', ...words], { environment: { ...NOWHERE, RATAFIA_URL: service.baseUrl, ...environment } })
  const login = (words: readonly string[], idToken: string) =>
    ci(['login', '--export', 'stdout', ...words], { RATAFIA_ID_TOKEN: idToken })
  const whoami = (credential: string) =>
    call(service, 'GET', '/api/v2/tokens/whoami', { headers: presenting(macaroonsIn(credential.trim())[0]) })
  const sessions = async (): Promise<readonly string[]> =>
    (await service.installation.tokenSessions.list({ activeAt: undefined, limit: 1000 })).map(({ id }) => id)

  for (const [format, begins] of [
    ['u1', '{"t": "u1-macaroon", "v": {"r": '],
    ['macaroon', '{"t": "macaroon", "v": '],
  ] as const) {
    test(`--format ${format}: logs in, refuses a used ID token, and logs out`, async () => {
      const idToken = jobs.idToken()
      const { code, stdout, stderr } = await login(['--format', format], idToken)
      assert.equal(code, 0, stderr)
      assert.ok(Buffer.from(stdout, 'base64').toString().startsWith(begins))
      const { status, body } = await whoami(stdout)
      assert.deepEqual(
        { status, username: body.account.username, permissions: body.permissions, packages: body.packages },
        {
          status: 200,
          username: jobs.username,
          permissions: ['package_upload', 'package_release'],
          packages: [SNAP_ID],
        },
      )
      assert.match(stderr, new RegExp(`expires in 15 minutes\\. The rule ${jobs.rule} granted it\\.`))

      const again = await login(['--format', format], idToken)
      assert.deepEqual({ code: again.code, stdout: again.stdout }, { code: 1, stdout: '' })
      assert.match(again.stderr, /oidc: .*(used|already)/)

      const out = await ci(['logout'], { SNAPCRAFT_STORE_CREDENTIALS: stdout.trim() })
      assert.equal(out.code, 0, out.stderr)
      assert.equal((await whoami(stdout)).status, 401)
    })
  }

  test('a login can request fewer permissions, packages and channels, and a shorter lifetime', async () => {
    const less = line`--permission package_release --package ${SNAP_ID} --channel edge --lifetime 2m`
    const { code, stdout, stderr } = await login([...less, '--rule', jobs.rule], jobs.idToken())
    assert.equal(code, 0, stderr)
    const { body } = await whoami(stdout)
    assert.deepEqual([body.permissions, body.channels], [['package_release'], ['edge']])
    assert.match(stderr, /expires in 2 minutes/)
  })

  test('a refusal names its audit entry, and reveals nothing about the rule', async () => {
    const { code, stderr } = await login([], jobs.idToken({ sub: 'job:other' }))
    assert.equal(code, 1)
    const [, id = ''] = /([0-9a-f]{8}-[0-9a-f-]{27})/.exec(stderr) ?? []
    const entries = await service.installation.audit.page({ action: 'publisher.refused' }, { limit: 100 })
    assert.deepEqual(entries.at(-1)?.id, id, stderr)
    assert.doesNotMatch(stderr, /job:hello/)
  })

  test('after a lost answer the same ID token is accepted again, for the same session', async () => {
    let lost = 0
    const proxy = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { method = '', url = '', headers } = request
      const answer = await fetch(`${service.baseUrl}${url}`, {
        method,
        headers: Object.entries(headers).filter(([name]) =>
          /^(content-type|idempotency-key)$/.test(name),
        ) as [string, string][],
        ...(method === 'POST' && { body: Buffer.concat(chunks) }),
      })
      const body = await answer.text()
      if (method === 'POST' && lost++ === 0) request.socket.destroy()
      else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
    })
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
    try {
      const address = proxy.address()
      assert.ok(typeof address === 'object' && address)
      const known = await sessions()
      const words = ['--url', `http://127.0.0.1:${address.port}`, '--audience', service.baseUrl]
      const { code, stdout, stderr } = await login(words, jobs.idToken())
      assert.deepEqual({ code, lost }, { code: 0, lost: 2 }, stderr)
      assert.equal((await whoami(stdout)).status, 200)
      assert.equal((await sessions()).length, known.length + 1)
    } finally {
      proxy.close()
    }
  })
})
