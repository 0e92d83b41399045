/**
 * Drives the store layers of snapcraft 7, 8 and 9: their login with a password, and the one for a store on premises.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { agentToken } from '../support/agent-token.ts'
import { type Answer, type Driver, type Snapcraft, snapcraftStoreLayer } from '../support/driver.ts'
import { cleanEnvironment } from '../support/paths.ts'
import { keyringIn, ownSessions, type PublisherTests, UNTIL_STALE } from '../support/publishers.ts'
import { assertUnauthorized, ok } from '../support/token-life.ts'
import { ADA, FARM } from '../support/world.ts'

const PERMISSIONS = ['package_access', 'package_push', 'package_release', 'package_update']
const [ACL, DISCHARGE] = ['POST /dev/api/acl/', 'POST /api/v2/tokens/discharge']
const [WHOAMI, REFRESH] = ['GET /api/v2/tokens/whoami', 'POST /api/v2/tokens/refresh']

interface Whoami {
  readonly account: { readonly username: string; readonly email: string }
  readonly [limit: string]: unknown
}

export function storeLayerTests(snapcraft: Snapcraft, { world, secondFactor, once }: PublisherTests): void {
  /** Runs a snapcraft with its own `environment`. */
  async function run<A>(
    environment: Readonly<Record<string, string>>,
    act: (client: Driver) => Promise<A>,
    service = world().service.url,
  ): Promise<A> {
    const client = snapcraftStoreLayer(snapcraft, service, environment)
    try {
      return await act(client)
    } finally {
      await client.close()
    }
  }
  const exported = (credentials: string) => ({ SNAPCRAFT_STORE_CREDENTIALS: credentials })
  const exporting = (wanted: Readonly<Record<string, unknown>>): Promise<Answer> =>
    run({ EPHEMERAL: 'yes' }, (client) =>
      client.ask({ do: 'login', permissions: PERMISSIONS, ...credentialsOf(ADA), ...wanted }),
    )
  const whoami = (client: Driver) => client.ask({ do: 'whoami' })

  test('a login with a password is kept in the keyring; logging out leaves the session in the list', async () => {
    const { installation, service } = world()
    const description = `snapcraft@${crypto.randomUUID()}`
    const sessions = await ownSessions(service.url, ADA)
    const listed = async () => (await sessions.list()).map((one) => one.description)
    const keyring = await keyringIn(installation)
    const login = await run(keyring, (client) =>
      client.ask({ do: 'login', permissions: PERMISSIONS, description, ...credentialsOf(ADA) }),
    )
    assert.deepEqual(login.requests, [ACL, DISCHARGE], login.message)
    assert.deepEqual(await listed(), [description], 'before the first use')

    await run(keyring, async (client) => {
      const me = (await ok(whoami(client))) as Whoami
      assert.deepEqual([me.account.username, me.account.email], [ADA.username, ADA.email])
      const account = await ok(client.ask({ do: 'request', method: 'GET', path: '/dev/api/account' }))
      assert.deepEqual((account as { snaps: unknown }).snaps, { 16: {} })
      const before = await client.ask({ do: 'logout' })
      assert.equal(before.error, undefined, before.message)
    })
    const after = await run(keyring, whoami)
    assert.equal(after.error, 'CredentialsUnavailable')
    assert.deepEqual(await listed(), [description])
    await sessions.revoke(description)
    assert.deepEqual(await listed(), [])
  })

  test('an exported login refreshes from the same stale discharge in every process, until it is revoked', async () => {
    const sessions = await ownSessions(world().service.url, ADA)
    const description = `export of ${crypto.randomUUID()}`
    const { credentials = '', message } = await exporting({ description })
    assert.notEqual(credentials, '', message)
    await sleep(UNTIL_STALE)
    for (let process = 1; process <= 2; process++) {
      const { status, requests } = await run(exported(credentials), whoami)
      assert.deepEqual([status, requests], [200, [WHOAMI, REFRESH, WHOAMI]])
    }

    await sessions.revoke(description)
    const refused = await run(exported(credentials), whoami)
    assertUnauthorized(refused, 'revoked at')
    assert.deepEqual(refused.requests, [WHOAMI], 'no attempt to refresh')
  })

  once('the program on the tools page runs unchanged', async () => {
    const { service } = world()
    const { credentials = '', message } = await exporting({})
    assert.notEqual(credentials, '', message)
    const page = await (await fetch(`${service.url}/console/tools`)).text()
    const [, program = ''] = /<pre id="[^"]+">(from craft_store [^<]*)<\/pre>/.exec(page) ?? []
    const { stdout } = await promisify(execFile)(
      snapcraft.python,
      ['-c', program.replaceAll('&quot;', '"')],
      { env: cleanEnvironment({ STORE_AUTH: credentials }) },
    )
    assert.match(stdout, new RegExp(`'email': '${ADA.email}'`))
  })

  once('a wrong password and an unknown e-mail address get the same refusal', async () => {
    const wrong = await exporting({ password: 'incorrect horse' })
    assertRefused(wrong, 'invalid-credentials')
    const unknown = await exporting({ email: 'unknown@example.com' })
    assert.deepEqual(unknown, wrong)
  })

  once('the second factor is asked for and accepted', async () => {
    const person = secondFactor()
    const email = { email: person.email, password: person.password }
    const asked = await exporting(email)
    assertRefused(asked, 'twofactor-required')
    assertRefused(await exporting({ ...email, otp: '000000' }), 'twofactor-failure')
    const { credentials = '', message } = await exporting({ ...email, otp: person.code() })
    assert.notEqual(credentials, '', message)
    const me = (await ok(run(exported(credentials), whoami))) as Whoami
    assert.equal(me.account.username, person.username)
  })

  once(
    'on premises, a token is exchanged for another, which works for whoami under /publishergw',
    async () => {
      const { installation, service, agentFile } = world()
      const base = `${service.url}/publishergw`
      const { token } = await agentToken(service.url, agentFile)
      const onPremises = { SNAPCRAFT_STORE_AUTH: 'onprem', ...(await keyringIn(installation)) }
      const asked = { do: 'login', permissions: PERMISSIONS }
      await run(
        { ...onPremises, SNAPCRAFT_ADMIN_MACAROON: token },
        async (client) => {
          const login = await client.ask(asked)
          assert.deepEqual(login.requests, ['POST /publishergw/v1/tokens/offline/exchange'], login.message)
          const me = (await ok(whoami(client))) as Whoami
          assert.equal(me.account.username, FARM.username)
        },
        base,
      )
      const forged = { ...onPremises, ...(await keyringIn(installation)), SNAPCRAFT_ADMIN_MACAROON: 'AAAA' }
      const refused = await run(forged, (client) => client.ask(asked), base)
      assert.equal(refused.error, 'StoreServerError')
      assert.equal(refused.status, 401, refused.message)
    },
  )

  // All versions of craft-store send the same requests in the following tests, so these only run with the newest.
  if (snapcraft.version.startsWith('7.')) return

  once('a login keeps its limits on packages, channels, permissions and time', async () => {
    const limits = { packages: ['hello-world'], channels: ['edge', 'latest/edge/*'] }
    const permissions = ['package_release', 'package_upload']
    const { credentials = '', message } = await exporting({ ...limits, permissions, ttl: 600 })
    const me = (await ok(run(exported(credentials), whoami))) as Whoami
    assert.deepEqual([...(me['permissions'] as string[])].sort(), permissions, message)
    assert.deepEqual([me['packages'], me['channels']], [limits.packages, limits.channels])
    const left = Date.parse(`${me['expires']}Z`) - Date.now()
    assert.ok(left > 0 && left <= 600_000, `${me['expires']}`)
  })

  once('a disabled account cannot log in, and its credentials are refused', async () => {
    const { installation } = world()
    const { credentials = '' } = await exporting({})
    await installation.ratafia(['accounts', 'disable', ADA.username, '--yes'])
    try {
      assertRefused(await exporting({}), 'account-suspended')
      const refused = await run(exported(credentials), whoami)
      assertUnauthorized(refused, 'disabled')
      assert.deepEqual(refused.requests, [WHOAMI])
    } finally {
      await installation.ratafia(['accounts', 'enable', ADA.username])
    }
    const again = await exporting({})
    await ok(run(exported(again.credentials ?? ''), whoami))
  })
}

/** Fails unless `answer` is a 401 with this code, which snapcraft looks for. */
function assertRefused({ status, error, message = '' }: Answer, code: string): void {
  assert.deepEqual([error, status], ['StoreServerError', 401], message)
  assert.ok(message.startsWith(`Store operation failed:\n- ${code}: `), message)
}

const credentialsOf = ({ email, password }: { readonly email: string; readonly password: string }) => ({
  email,
  password,
})
