// Drives craft-store's StoreClient for the Snap Store, as snapcraft uses it, and for Charmhub.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eventually } from '../packages/server/test/support/eventually.ts'
import { type Answer, craftStore, type Driver } from './support/driver.ts'
import { browserOf } from './support/person-settings.ts'
import {
  assertRevoked,
  assertUnauthorized,
  type Call,
  liveAndRevoke,
  ok,
  records,
} from './support/token-life.ts'
import { ADA, onEachDatabase } from './support/world.ts'

const EVERYTHING = {
  permissions: ['package_access', 'package_push', 'package_update', 'package_release'],
  ttl: 3600,
}

onEachDatabase((world) => {
  /** One process per credential, like a program that got it in a variable. */
  const processes = new Map<string, Driver>()
  let person: Awaited<ReturnType<typeof browserOf>>

  before(async () => {
    person = await browserOf(world().installation.directory, ADA)
  })
  after(async () => {
    await Promise.all([...processes.values()].map((client) => client.close()))
  })

  async function login(wanted: Readonly<Record<string, unknown>>): Promise<string> {
    const client = craftStore(world().service.url, person.environment)
    const answer = await client.ask({ do: 'login', ...wanted })
    await client.close()
    assert.ok(answer.credentials, `${answer.error}: ${answer.message}`)
    return answer.credentials
  }

  /** Returns the answer of a process that uses craft-store's endpoints for Charmhub. */
  async function atCharmhub(
    environment: Readonly<Record<string, string>>,
    command: Readonly<Record<string, unknown>>,
  ): Promise<Answer> {
    const client = craftStore(world().service.url, environment, 'CHARMHUB')
    try {
      return await client.ask(command)
    } finally {
      await client.close()
    }
  }

  function withCredentials(credentials: string, command: Readonly<Record<string, unknown>>): Promise<Answer> {
    const client =
      processes.get(credentials) ?? craftStore(world().service.url, { STORE_CREDENTIALS: credentials })
    processes.set(credentials, client)
    return client.ask(command)
  }

  const call: Call = (credentials, method, path, body) =>
    withCredentials(credentials, { do: 'request', method, path, ...(body && { body }) })

  test('a user logs in, uses the exported credentials in other processes, and lists and revokes tokens', async () => {
    const description = `snapcraft on ${crypto.randomUUID()}`
    const first = await login({ ...EVERYTHING, description })
    const second = await login({ ...EVERYTHING, description: 'to revoke with' })
    await liveAndRevoke(call, { first, second, description }, ADA)
  })

  test('a login keeps its limits on packages, channels and time, which the page showed to the user', async () => {
    const { installation } = world()
    const file = join(installation.directory, 'packages.csv')
    const snapId = 'buPKUD3TKqCOgLEjjHx5kSiCpIs5cMuQ'
    await writeFile(file, `name,snap_id\nhello-world,${snapId}\n`)
    await installation.ratafia(['packages', 'import', file])

    const description = 'one package, one channel'
    const permissions = ['package_upload', 'package_release']
    const limits = { packages: ['hello-world'], channels: ['edge', 'latest/edge/*'] }
    const credentials = await login({ permissions, description, ttl: 600, ...limits })

    const me = (await ok(withCredentials(credentials, { do: 'whoami' }))) as Record<string, unknown>
    assert.deepEqual(me['packages'], [snapId])
    assert.deepEqual(me['channels'], limits.channels)
    assert.deepEqual([...(me['permissions'] as string[])].sort(), [...permissions].sort())
    assert.deepEqual((me['account'] as { username: string }).username, ADA.username)

    const listed = await records(call(credentials, 'GET', '/api/v2/tokens'))
    const record = listed.find((one) => one.description === description)
    assert.equal(`${me['expires']}Z`, record?.['valid-until'])

    const shown = (await person.seen()).filter(({ title }) => title.startsWith('Approve')).at(-1)?.text ?? ''
    for (const part of [
      description,
      'hello-world',
      'latest/edge/*',
      'package_upload',
      'package_release',
      '127.0.0.1',
      'python-requests',
    ]) {
      assert.ok(shown.includes(part), `the page shows ${part}: ${shown}`)
    }
  })

  test('with the endpoints CHARMHUB, a user logs in, uses the exported credentials, and lists and revokes tokens', async () => {
    const description = `charmcraft on ${crypto.randomUUID()}`
    const wanted = { permissions: ['package_access'], channels: ['edge'], ttl: 600, description }
    const answer = await atCharmhub(person.environment, { do: 'login', ...wanted })
    const STORE_CREDENTIALS = answer.credentials ?? assert.fail(`${answer.error}: ${answer.message}`)
    const use = (command: Readonly<Record<string, unknown>>) => atCharmhub({ STORE_CREDENTIALS }, command)

    const me = (await ok(use({ do: 'whoami' }))) as Readonly<Record<string, unknown>>
    assert.equal((me['account'] as { username: string }).username, ADA.username)
    assert.deepEqual([me['permissions'], me['channels']], [['package_access'], ['edge']])
    const listed = await records(use({ do: 'request', method: 'GET', path: '/v1/tokens' }))
    const sessionId = listed.find((one) => one.description === description)?.['session-id']
    const body = { 'session-id': sessionId }
    const path = '/v1/tokens/revoke'
    const [revoked] = await records(use({ do: 'request', method: 'POST', path, body }))
    assertRevoked(await use({ do: 'whoami' }), revoked ?? assert.fail('nothing was revoked'))
  })

  test('after an operator revoked the session, StoreServerError has the code and message of the service', async () => {
    const { installation } = world()
    const description = `lost laptop ${crypto.randomUUID()}`
    const credentials = await login({ ...EVERYTHING, description })
    const listed = await records(call(credentials, 'GET', '/api/v2/tokens'))
    const sessionId = listed.find((one) => one.description === description)?.['session-id'] ?? ''
    const revoked = JSON.parse(await installation.ratafia(['tokens', 'revoke', sessionId, '--json']))
    assert.equal(revoked.revoked_by, 'operator')

    // The command is another process, and the service notices its change within a second.
    const answer = await eventually('a refusal', async () => {
      const answer = await withCredentials(credentials, { do: 'whoami' })
      return answer.error === undefined ? undefined : answer
    })
    assert.equal(answer.error, 'StoreServerError')
    assert.equal(answer.list, '<StoreErrorList: macaroon-authorization-required>')
    assertRevoked(answer, { 'revoked-at': revoked.revoked_at, 'revoked-by': revoked.revoked_by })
  })

  test('a package that the directory does not know is refused by name', async () => {
    const client = craftStore(world().service.url, person.environment)
    const answer = await client.ask({
      do: 'login',
      ...EVERYTHING,
      description: 'x',
      packages: ['no-such-snap'],
    })
    await client.close()
    assert.equal(answer.error, 'StoreServerError')
    assert.equal(answer.status, 400)
    assert.match(answer.message ?? '', /no-such-snap/)
  })

  test('the credentials of a disabled account are refused until it is enabled again', async () => {
    const { installation } = world()
    const credentials = await login({ ...EVERYTHING, description: 'd' })
    await installation.ratafia(['accounts', 'disable', '--yes', ADA.username])
    assertUnauthorized(await withCredentials(credentials, { do: 'whoami' }), 'disabled')
    await installation.ratafia(['accounts', 'enable', ADA.username])
    await ok(withCredentials(credentials, { do: 'whoami' }))
  })
})
