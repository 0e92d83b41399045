/** Drives craft-store's UbuntuOneLogin and PublisherGateway, which charmcraft is built on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, gatewayClient } from '../support/driver.ts'
import { ownSessions, type PublisherTests } from '../support/publishers.ts'
import { ok } from '../support/token-life.ts'
import { ADA } from '../support/world.ts'

const PERSON = { email: ADA.email, password: ADA.password }
const VIEW = { permissions: ['account-view-packages'] }

export function gatewayTests({ world, secondFactor, once }: PublisherTests): void {
  /** Sends the commands to one process, until one fails. Returns the last answer. */
  async function ask(
    commands: readonly Readonly<Record<string, unknown>>[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const client = gatewayClient(world().service.url, environment)
    try {
      let answer: Answer = {}
      for (const command of commands) {
        answer = await client.ask(command)
        if (answer.error !== undefined) return answer
      }
      return answer
    } finally {
      await client.close()
    }
  }

  test('UbuntuOneLogin logs in, UbuntuOneAuth exchanges, and every authentication method can use the result', async () => {
    const answer = await ask([{ do: 'login', ...PERSON, ...VIEW }, { do: 'whoami' }])
    assert.deepEqual(
      answer.requests,
      ['POST /v1/tokens/usso/exchange', 'GET /v1/tokens/whoami'],
      answer.message,
    )
    const { account, permissions } = answer.body as { account: Record<string, unknown>; permissions: unknown }
    const { id, username, email, 'display-name': name } = account
    assert.equal(typeof id, 'string')
    assert.deepEqual(
      [username, email, name, permissions],
      [ADA.username, ADA.email, ADA.name, VIEW.permissions],
    )

    const STORE_TOKEN = answer.token ?? ''
    for (const way of [
      'DeveloperTokenAuth, bearer',
      'DeveloperTokenAuth, macaroon',
      'CandidAuth',
      'an Auth of craft-store',
    ]) {
      const me = await ok(ask([{ do: 'whoami with', way }], { STORE_TOKEN }))
      assert.deepEqual(me, answer.body, way)
    }
  })

  once('a login of UbuntuOneLogin keeps its limits on packages and channels', async () => {
    const packages = [{ type: 'charm', name: 'postgresql' }]
    const limits = { ...VIEW, packages, channels: ['latest/edge'], ttl: 600 }
    const me = await ok(ask([{ do: 'login', ...PERSON, ...limits }, { do: 'whoami' }]))
    const shown = me as { packages: readonly Record<string, string>[]; channels: unknown }
    assert.deepEqual(shown.channels, ['latest/edge'])
    assert.equal(shown.packages.length, 1)
    assert.equal(shown.packages[0]?.['name'] ?? shown.packages[0]?.['id'], 'postgresql')
  })

  once(
    'UbuntuOneLogin reports a wrong password and an unknown permission, and asks for the second factor',
    async () => {
      const wrong = await ask([{ do: 'login', ...PERSON, ...VIEW, password: 'wrong' }])
      assert.deepEqual([wrong.error, wrong.code], ['UbuntuOneCredentialsError', 'INVALID_CREDENTIALS'])
      const unknown = await ask([{ do: 'login', ...PERSON, permissions: ['no-such-permission'] }])
      assert.equal(unknown.error, 'InvalidRequestError')
      assert.match(unknown.message ?? '', /permissions.* is not one of /)

      const { email, password, code, username } = secondFactor()
      const login = { do: 'login', email, password, ...VIEW }
      assert.equal((await ask([login])).error, 'UbuntuOneOtpRequiredError')
      const failed = await ask([{ ...login, otp: '000000' }])
      assert.deepEqual([failed.error, failed.code], ['UbuntuOneCredentialsError', 'TWOFACTOR_FAILURE'])
      const me = await ok(ask([{ ...login, otp: code() }, { do: 'whoami' }]))
      assert.equal((me as { account: { username: string } }).account.username, username)
    },
  )

  test('PublisherGateway reports that its session was revoked', async () => {
    const sessions = await ownSessions(world().service.url, ADA)
    const { token = '' } = await ask([{ do: 'login', ...PERSON, ...VIEW }, { do: 'whoami' }])
    await sessions.revoke('gateway client')
    const refused = await ask([{ do: 'whoami with', way: 'DeveloperTokenAuth, bearer' }], {
      STORE_TOKEN: token,
    })
    assert.equal(refused.error, 'CraftStoreError')
    assert.match(refused.message ?? '', /^Error 401 returned from store: .*revoked at/)
  })
}
