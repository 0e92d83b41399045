/** Everything acknowledged survives a restart, a crash, a second service and the loss of the database. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { asSuperuser, eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import {
  addPerson,
  bearing,
  call,
  logIn,
  refusalOf,
  revokeOwn,
  type TestService,
} from '../support/service.ts'

/** The base URL that clients know the service by, whatever its port in a test. */
const BASE = { RATAFIA_BASE_URL: 'http://ratafia.example' }

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  /** The running service, which each test leaves for the next. */
  let running: RunningProgram
  before(async () => {
    running = await program.start(BASE)
  })
  let people = 0
  const serviceAt = async (baseUrl: string): Promise<TestService> => ({
    baseUrl,
    installation: await program.open(),
    now: () => new Date(),
    advance: () => assert.fail('it uses its own clock'),
  })
  const newToken = async (baseUrl: string) => {
    const service = await serviceAt(baseUrl)
    return logIn(service, await addPerson(service, `p-${++people}`))
  }
  const whoami = (baseUrl: string, token: string) =>
    call({ baseUrl }, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })

  test('a second start on the same data continues where the first ended', async () => {
    const token = await newToken(running.baseUrl)
    const ended = await newToken(running.baseUrl)
    await revokeOwn(running, ended)
    assert.equal((await running.end('SIGTERM')).code, 0)
    running = await program.start(BASE)
    assert.equal((await whoami(running.baseUrl, token)).status, 200)
    assert.equal((await whoami(running.baseUrl, ended)).status, 401)
    assert.doesNotMatch(running.stdout(), /no account/)
  })

  test('an acknowledged revocation survives kill -9 right after it', async () => {
    const token = await newToken(running.baseUrl)
    const { body } = await revokeOwn(running, token)
    await running.end('SIGKILL')
    running = await program.start(BASE)
    const { message } = refusalOf(await whoami(running.baseUrl, token))
    assert.equal(
      message,
      `The macaroon was revoked at ${body.macaroons[0]['revoked-at']} by p-${people}. Log in again.`,
    )
  })

  test("stores a token's last use while it runs", async () => {
    const token = await newToken(running.baseUrl)
    assert.equal((await whoami(running.baseUrl, token)).status, 200)
    await eventually('the last use is stored', async () => {
      const [session] = await program.json('tokens', 'list', '--account', `p-${people}`)
      return session.last_used_at
    })
  })

  test('of two services on one database, each refuses what the other revokes', async () => {
    const [one, other] = [running, await program.start(BASE)]
    const token = await newToken(one.baseUrl)
    assert.equal((await whoami(other.baseUrl, token)).status, 200)
    await revokeOwn(one, token)
    assert.equal((await whoami(one.baseUrl, token)).status, 401)
    // A second is promised; `tokens/revocation.timed.test.ts` measures it within a process.
    await eventually('the other refuses it', async () => (await whoami(other.baseUrl, token)).status === 401)
    assert.equal((await other.end('SIGTERM')).code, 0)
    assert.equal((await whoami(one.baseUrl, token)).status, 401)
  })

  if (kind === 'postgres') {
    test('answers 503 while the database is unavailable, and recovers by itself', async () => {
      const service = running
      const token = await newToken(service.baseUrl)
      const name = new URL(String(program.environment['RATAFIA_DATABASE_URL'])).pathname.slice(1)
      await asSuperuser(`alter database ${name} allow_connections false`)
      await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
      try {
        for (let attempt = 0; attempt < 3; attempt++) {
          const answer = await whoami(service.baseUrl, token)
          assert.deepEqual(refusalOf(answer), {
            status: 503,
            code: 'service-unavailable',
            message:
              'The service could not check the request just now. Try again in a moment; nothing was lost.',
          })
          assert.equal(answer.headers.get('retry-after'), '1')
        }
        assert.equal((await call(service, 'GET', '/')).status, 200)
      } finally {
        await asSuperuser(`alter database ${name} allow_connections true`)
      }
      assert.equal((await whoami(service.baseUrl, token)).status, 200)
      const { code, stderr } = await service.end('SIGTERM')
      assert.equal(code, 0)
      assert.match(stderr, /"level":40,.*"msg":"could not check"/)
      assert.doesNotMatch(stderr, /"level":50/)
      const { password } = new URL(String(program.environment['RATAFIA_DATABASE_URL']))
      assert.ok(!stderr.includes(password))
    })
  }
})
