// Restarts the service while clients wait: valid tokens keep working, and revoked ones stay revoked.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BAKERIES, craftStore, type Driver, goBakery, pythonBakery } from './support/driver.ts'
import { DATABASES, type Installation, newInstallation } from './support/installation.ts'
import { browserOf } from './support/person-settings.ts'
import { type Service, startService } from './support/service.ts'
import { assertRevoked, ok, records } from './support/token-life.ts'
import { ADA, addAccount } from './support/world.ts'

for (const kind of DATABASES) {
  suite(kind, { timeout: 300_000 }, () => {
    let installation: Installation
    let service: Service
    const clients: Driver[] = []

    before(async () => {
      installation = await newInstallation(kind)
      service = await startService(installation)
      await addAccount(installation, ADA, ADA.password)
    })
    after(async () => {
      await Promise.all(clients.map((client) => client.close()))
      await service?.stop()
      await installation?.remove()
    })

    const started = (client: Driver): Driver => {
      clients.push(client)
      return client
    }

    async function login(description: string): Promise<string> {
      const client = started(pythonBakery((await browserOf(installation.directory, ADA)).environment))
      const body = { permissions: ['package_access'], description }
      const { token, message } = await client.ask({ do: 'login', service: service.url, body })
      assert.ok(token, message)
      return token
    }

    const call = (token: string, method: string, path: string, body?: object) => {
      const headers = { Authorization: `Macaroon ${token}` }
      return caller.ask({ do: 'call', method, url: `${service.url}${path}`, headers, ...(body && { body }) })
    }
    const caller = started(goBakery())

    test('after a restart, valid tokens still work, and revoked ones stay revoked', async () => {
      const [kept, lost] = [await login('kept'), await login('lost')]
      const listed = await records(call(kept, 'GET', '/api/v2/tokens'))
      const sessionId = listed.find(({ description }) => description === 'lost')?.['session-id']
      const [revoked] = await records(
        call(kept, 'POST', '/api/v2/tokens/revoke', { 'session-id': sessionId }),
      )
      assert.ok(revoked)
      const before = await ok(call(kept, 'GET', '/api/v2/tokens/whoami'))

      assert.equal(await service.stop(), 0)
      service = await startService(installation)
      assert.deepEqual(await ok(call(kept, 'GET', '/api/v2/tokens/whoami')), before)
      assertRevoked(await call(lost, 'GET', '/api/v2/tokens/whoami'), revoked)
    })

    test('craft-store: a login that waits for its user survives a restart', async () => {
      const comesWhen = join(installation.directory, 'craft-person-comes')
      const person = await browserOf(installation.directory, { ...ADA, comesWhen })
      const client = started(craftStore(service.url, person.environment))
      const login = client.ask({
        ...{ do: 'login', permissions: ['package_access'], description: 'patient', ttl: 600 },
      })
      await waits(login)
      assert.equal(await service.stop(), 0)
      service = await startService(installation)
      await writeFile(comesWhen, '')
      const { credentials, message } = await login
      assert.ok(credentials, message)
    })

    for (const [name, start] of Object.entries(BAKERIES)) {
      test(`${name}: a client that waits for its user gets an error at once, and can log in after the restart`, async () => {
        const comesWhen = join(installation.directory, `${start.name}-person-comes`)
        const person = await browserOf(installation.directory, { ...ADA, comesWhen })
        const client = started(start(person.environment))
        const command = { do: 'login', service: service.url, body: { permissions: ['package_access'] } }
        const login = client.ask(command)
        await waits(login)
        assert.equal(await service.stop(), 0)
        const { token, error } = await login
        assert.equal(token, undefined)
        assert.ok(error)

        service = await startService(installation)
        await writeFile(comesWhen, '')
        assert.ok((await client.ask(command)).token)
      })
    }
  })
}

/** Waits long enough for the client to be waiting. If it is not yet, the restart happens a step earlier. */
async function waits(login: Promise<unknown>): Promise<void> {
  const first = await Promise.race([login, sleep(2_000, 'waiting')])
  assert.equal(first, 'waiting')
}
