/**
 * A CI job without a secret, played by the service account of a Keycloak client. Its tokens are exchanged for
 * credentials that an unmodified craft-store accepts. OAuth libraries do the exchange themselves.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { TOKEN_EXCHANGE, TOKEN_TYPES } from '@ratafia/api'
import { eventually } from '../packages/server/test/support/eventually.ts'
import { craftStore, type Driver, OAUTH_CLIENTS, SNAPCRAFTS, snapcraftStoreLayer } from './support/driver.ts'
import { type Keycloak, startKeycloak } from './support/keycloak.ts'
import type { KeycloakRealm } from './support/keycloak-realm.ts'
import { assertUnauthorized, ok } from './support/token-life.ts'
import { FARM, onEachDatabase } from './support/world.ts'

const JOB = 'builds'
const RULE = 'hello-release'
const SNAP_ID = 'buPKUD3TKqCOgLEjjHx5kSiCpIs5cMuQ'
const CLAIMS = { project_id: '4711', ref: 'refs/heads/main' } as const

interface Exchanged {
  readonly status: number
  /** The decoded JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

let keycloak: Promise<Keycloak> | undefined
before(() => {
  keycloak = startKeycloak()
})
after(async () => (await keycloak)?.stop())

onEachDatabase((world, kind) => {
  let realm: KeycloakRealm
  const ratafia = (...words: readonly string[]) => world().installation.ratafia(words)
  const running = async () => (await keycloak) ?? assert.fail('Keycloak is not started yet.')

  before(async () => {
    realm = await (await running()).addRealm(kind)
    const audience = world().service.url
    await realm.addJob(JOB, { audience, claims: CLAIMS })
    await realm.addJob('fork', { audience, claims: { ...CLAIMS, project_id: '815' } })
    // The audience of an ID token contains the client in addition to the service.
    const settings = ['--stable-claims', 'project_id', '--other-audience', JOB, '--other-audience', 'fork']
    await ratafia('issuers', 'add', realm.issuer, '--kind', 'generic', ...settings)
    await addRule()
  })

  const addRule = () =>
    ratafia(
      ...['publishers', 'add', RULE, '--issuer', realm.issuer, '--account', FARM.username],
      ...Object.entries(CLAIMS).flatMap(([name, value]) => ['--match', `${name}=${value}`]),
      ...['--package', SNAP_ID, '--permission', 'package_access', '--permission', 'package_upload'],
    )

  async function exchange(token: string, more: Readonly<Record<string, string>> = {}): Promise<Exchanged> {
    const answer = await fetch(`${world().service.url}/api/v2/tokens/oidc`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: TOKEN_EXCHANGE,
        subject_token: token,
        subject_token_type: TOKEN_TYPES.jwt,
        ...more,
      }),
    })
    return { status: answer.status, body: (await answer.json()) as Exchanged['body'] }
  }

  async function credentials(more: Readonly<Record<string, string>> = {}): Promise<string> {
    const { status, body } = await exchange(await realm.token(JOB), more)
    assert.equal(status, 200, JSON.stringify(body))
    return String(body['credentials'])
  }

  /** Returns the reason why a token is refused. Fails if it is accepted. */
  async function refused(token: string): Promise<string> {
    const { status, body } = await exchange(token)
    assert.deepEqual([status, body['error']], [400, 'invalid_grant'], JSON.stringify(body))
    return String(body['error_description'])
  }

  /** Fails unless the client gets access as the rule's account, with the rule's grants. */
  async function isLetIn(client: Driver): Promise<void> {
    const me = (await ok(client.ask({ do: 'whoami' }))) as Readonly<Record<string, unknown>>
    assert.equal((me['account'] as { username: string }).username, FARM.username)
    assert.deepEqual(me['packages'], [SNAP_ID])
    assert.deepEqual([...(me['permissions'] as string[])].sort(), ['package_access', 'package_upload'])
  }

  const storeClient = (secret: string) => craftStore(world().service.url, { STORE_CREDENTIALS: secret })

  async function using<A>(client: Driver, act: (client: Driver) => Promise<A>): Promise<A> {
    try {
      return await act(client)
    } finally {
      await client.close()
    }
  }

  test('Keycloak: an ID token and an access token can each be exchanged once', async () => {
    for (const token of [await realm.token(JOB, 'id_token'), await realm.token(JOB, 'access_token')]) {
      const { status, body } = await exchange(token)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body['rule'], body['token_type']], [RULE, 'Bearer'])
      const seconds = Number(body['expires_in'])
      assert.ok(seconds > 890 && seconds <= 900, `${seconds} s`)
      assert.match(await refused(token), /used/)
    }
    await refused(await realm.token('fork'))
    await refused((await realm.token(JOB)).slice(0, -8).concat('AAAAAAAA'))
  })

  test('craft-store: StoreClient works with the credentials of a CI job until its rule is removed', async () => {
    await using(storeClient(await credentials()), async (client) => {
      await isLetIn(client)
      await ratafia('publishers', 'remove', RULE, '--yes')
      const answer = await eventually('a refusal', async () => {
        const answer = await client.ask({ do: 'whoami' })
        return answer.error === undefined ? undefined : answer
      })
      assertUnauthorized(answer, 'revoked')
    })
    await refused(await realm.token(JOB))
    await addRule()
  })

  for (const [name, snapcraft] of Object.entries(SNAPCRAFTS)) {
    test(`${name}: UbuntuOneStoreClient works with the root and discharge of a CI job`, async () => {
      const pair = await credentials({ requested_token_type: TOKEN_TYPES.pair })
      const environment = { SNAPCRAFT_STORE_CREDENTIALS: pair }
      await using(snapcraftStoreLayer(snapcraft, world().service.url, environment), isLetIn)
    })
  }

  for (const [name, startClient] of Object.entries(OAUTH_CLIENTS)) {
    test(`${name}: exchanges an ID token for a token that the service accepts, and reads a refusal`, async () => {
      const token = await realm.token(JOB, 'id_token')
      await using(startClient(world().service.url), async (client) => {
        const { status, body, message } = await client.ask({ token })
        assert.equal(status, 200, message ?? JSON.stringify(body))
        const { account, packages } = body as { account: { username: string }; packages: string[] }
        assert.deepEqual([account.username, packages], [FARM.username, [SNAP_ID]])
        const again = await client.ask({ token })
        assert.equal(again.code, 'invalid_grant', JSON.stringify(again))
      })
    })
  }

  test('Keycloak: the service follows rotated and removed keys, with an outage in between', async () => {
    const [known, late] = [await realm.token(JOB), await realm.token(JOB)]
    await realm.rotate()
    const unknown = await realm.token(JOB)
    const { pause, goOn } = await running()
    pause()
    try {
      await assert.rejects(ratafia('issuers', 'refresh', realm.issuer), /exited 3: /)
      assert.equal((await exchange(known)).status, 200)
      const { status, body } = await exchange(unknown)
      assert.deepEqual([status, body['error']], [503, 'temporarily_unavailable'], JSON.stringify(body))
    } finally {
      goOn()
    }
    // The service asks Keycloak again 30 s after a request without an answer.
    await eventually('the new key is known', async () => {
      await sleep(1_000)
      const { status, body } = await exchange(unknown)
      assert.ok(status === 200 || status === 503, JSON.stringify(body))
      return status === 200
    })

    await realm.removeFirstKey()
    await ratafia('issuers', 'refresh', realm.issuer)
    assert.match(await refused(late), /key/)
    assert.equal((await exchange(await realm.token(JOB))).status, 200)
  })
})
