/** `ratafia ci login` and `logout` against a running service, with ID tokens signed by a test issuer. */
import assert from 'node:assert/strict'
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
})
