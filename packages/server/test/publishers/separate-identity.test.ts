/** Guarantee: only a standalone identity service sees passwords, and the first use of a login opens its session. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { encodeBase64 } from '@ratafia/macaroon'
import { freePort } from '../../../../tools/test/free-port.ts'
import type { Account } from '../../src/accounts/account.ts'
import { disableAccount, removeAccount, setPassword, switchPasswordLogins } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { startNode, type TestNode } from '../support/nodes.ts'
import {
  addPublisher,
  caveatIdOf,
  decoded,
  getPasswordRoot,
  PASSWORD,
  type Pair,
  pairHeader,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { call, refusalOf, sessionIdOf } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  let directory: string
  let identity: TestNode
  let service: TestNode
  let person: Account
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ratafia-identity-'))
    const own = { kind: 'sqlite', file: join(directory, 'identity.db') } as const
    const port = await freePort()
    service = await startNode(await fresh.target(), { RATAFIA_IDENTITY_URL: `http://127.0.0.1:${port}` })
    identity = await startNode(
      own,
      { RATAFIA_PORT: String(port), RATAFIA_KNOWN_SERVICES: await knownAs(service) },
      { identityOnly: true },
    )
    person = await addPublisher(identity)
  })
  after(async () => {
    await service?.close()
    await identity?.close()
    await rm(directory, { recursive: true, force: true })
  })

  const knownAs = async ({ baseUrl, installation }: TestNode): Promise<string> =>
    `${baseUrl}=${encodeBase64((await installation.keyring.sealingKeyPair()).publicKey)}`

  const login = async (): Promise<Pair> => {
    const root = await getPasswordRoot(service, { body: { description: 'laptop' } })
    const fields = { email: person.email, password: PASSWORD, caveat_id: caveatIdOf(root) }
    const { status, body } = await requestDischarge(identity, fields)
    assert.equal(status, 200, JSON.stringify(body))
    return { root, discharge: body.discharge_macaroon }
  }
  const get = (path: string, pair: Pair) => call(service, 'GET', path, { headers: pairHeader(pair) })

  test('the caveat of a login has the host of the identity service, and the first use opens the session', async () => {
    const pair = await login()
    const caveat = decoded(pair.root).caveats.find(({ verificationId }) => verificationId)
    const { host } = new URL(identity.baseUrl)
    assert.deepEqual([caveat?.location, decoded(pair.discharge).location], [host, host])
    const id = sessionIdOf(decoded(pair.root))
    const open = async () => (await service.installation.logins.ofSession(id as never)) !== undefined
    assert.equal(await open(), false)
    const { status, body } = await get('/api/v2/tokens', pair)
    assert.equal(status, 200)
    assert.equal(body.macaroons[0].description, 'laptop')
    assert.equal(await open(), true)
    assert.equal((await refresh(identity, pair.discharge)).status, 200)

    const revoking = { headers: pairHeader(pair), body: { 'session-id': id } }
    assert.equal((await call(service, 'POST', '/api/v2/tokens/revoke', revoking)).status, 200)
    assert.match(refusalOf(await get('/api/v2/tokens/whoami', pair)).message, /was revoked at/)
  })

  test('the service itself has no endpoints for passwords', async () => {
    for (const path of ['/api/v2/tokens/discharge', '/api/v2/tokens/refresh']) {
      assert.equal(
        (await fetch(`${service.baseUrl}${path}`, { method: 'POST', body: '{}' })).status,
        404,
        path,
      )
    }
  })

  test('does not refresh a discharge of the old password after a new one was set', async () => {
    const pair = await login()
    assert.equal((await get('/api/v2/tokens/whoami', pair)).status, 200)
    await setPassword({ account: person.username, password: PASSWORD }, identity.installation)
    assert.equal((await refresh(identity, pair.discharge)).body.code, 'INVALID_CREDENTIALS')
    assert.equal((await refresh(identity, (await login()).discharge)).status, 200)
  })

  test('does not check passwords for a service that is not in RATAFIA_KNOWN_SERVICES', async () => {
    const other = { kind: 'sqlite', file: join(directory, 'unknown.db') } as const
    const stranger = await startNode(other, { RATAFIA_IDENTITY_URL: identity.baseUrl })
    try {
      const caveat_id = caveatIdOf(await getPasswordRoot(stranger))
      const { body } = await requestDischarge(identity, {
        email: person.email,
        password: PASSWORD,
        caveat_id,
      })
      assert.equal(body.code, 'INVALID_DATA')
      assert.match(body.message, /RATAFIA_KNOWN_SERVICES/)
    } finally {
      await stranger.close()
    }
  })

  test('a known service gets the same text for every login that is no longer valid, regardless of the reason', async () => {
    const texts = new Set<string>()
    for (const end of [
      (name: string) => disableAccount(name, identity.installation),
      (name: string) => setPassword({ account: name, password: PASSWORD }, identity.installation),
      (name: string) => removeAccount({ account: name }, identity.installation),
      (name: string) => switchPasswordLogins({ account: name, on: false }, identity.installation),
    ]) {
      const gone = await addPublisher(identity)
      const fields = { email: gone.email, password: PASSWORD }
      const caveat_id = caveatIdOf(await getPasswordRoot(service))
      const { body } = await requestDischarge(identity, { ...fields, caveat_id })
      await end(gone.username)
      const refused = await refresh(identity, body.discharge_macaroon)
      assert.equal(refused.status, 401)
      texts.add(JSON.stringify(refused.body))
    }
    assert.equal(texts.size, 1, [...texts].join('\n'))
  })

  test('issues no root for an identity service that does not accept passwords from programs', async () => {
    const own = { kind: 'sqlite', file: join(directory, 'off.db') } as const
    const off = await startNode(own, { RATAFIA_PASSWORD_LOGINS: 'off' }, { identityOnly: true })
    const other = await startNode(
      { kind: 'sqlite', file: join(directory, 'other.db') },
      { RATAFIA_IDENTITY_URL: off.baseUrl },
    )
    try {
      const refused = refusalOf(await call(other, 'POST', '/dev/api/acl/', { body: {} }))
      assert.deepEqual([refused.status, refused.code], [400, 'password-login-off'])
    } finally {
      await other.close()
      await off.close()
    }
  })
})
