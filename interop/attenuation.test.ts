// Caveats that a holder appends to a token offline, with libraries that are not ours, are honoured.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { type Answer, type Driver, pythonBakery } from './support/driver.ts'
import { assertUnauthorized, ok } from './support/token-life.ts'
import { onEachDatabase } from './support/world.ts'

/** Returns the headers that present the token with `conditions` appended. */
type Attenuate = (token: string, conditions: readonly string[]) => Promise<Readonly<Record<string, string>>>

/** The part of it used here; the package has no types. */
interface NpmMacaroon {
  importMacaroon(binary: Uint8Array): { addFirstPartyCaveat(condition: string): void; exportJSON(): object }
}
const { importMacaroon } = createRequire(import.meta.url)('macaroon') as NpmMacaroon

/** Formatted as Python's json.dumps does. */
const extra = (limits: {
  channel?: string[]
  package_id?: string[]
  acl?: string[]
  store_ids?: string[]
}) => {
  const list = (values: string[] | undefined) =>
    values ? `[${values.map((value) => JSON.stringify(value)).join(', ')}]` : 'null'
  const { channel, package_id, acl, store_ids } = limits
  return (
    `extra {"channel": ${list(channel)}, "package_id": ${list(package_id)}, ` +
    `"acl": ${list(acl)}, "store_ids": ${list(store_ids)}}`
  )
}

onEachDatabase((world) => {
  let client: Driver
  let token: string

  before(async () => {
    const { service, agentFile } = world()
    client = pythonBakery({ BAKERY_AGENT_FILE: agentFile })
    const body = { permissions: ['package_access', 'package_upload'], channels: ['edge', 'beta'] }
    const login = await client.ask({ do: 'login', service: service.url, body })
    assert.ok(login.token, login.message)
    token = login.token
  })
  after(() => client.close())

  const whoami = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
    client.ask({ do: 'call', method: 'GET', url: `${world().service.url}/api/v2/tokens/whoami`, headers })

  const libraries: Record<string, Attenuate> = {
    'npm macaroon': async (from, conditions) => {
      const macaroon = importMacaroon(Buffer.from(from, 'base64url'))
      for (const condition of conditions) macaroon.addFirstPartyCaveat(condition)
      // As JSON, as bakeryjs sends it: its binary writer doubles its buffer with every field until memory runs out.
      return { Macaroons: btoa(JSON.stringify([macaroon.exportJSON()])) }
    },
    pymacaroons: async (from, conditions) => {
      const answer = await client.ask({ do: 'attenuate', token: from, conditions })
      assert.ok(answer.token, answer.message)
      assert.deepEqual(answer.conditions?.slice(-conditions.length), conditions)
      return { Authorization: `Macaroon ${answer.token}` }
    },
  }

  for (const [name, attenuate] of Object.entries(libraries)) {
    test(`${name}: a token survives being read and written`, async () => {
      const limits = (await ok(whoami({ Authorization: `Macaroon ${token}` }))) as Record<string, unknown>
      const later = await attenuate(token, ['time-before 2099-01-01T00:00:00Z'])
      assert.deepEqual(await ok(whoami(later)), limits)
    })

    test(`${name}: a time in the past makes it 401`, async () => {
      const past = '2020-02-03T04:05:06.000000Z'
      assertUnauthorized(
        await whoami(await attenuate(token, [`time-before ${past}`])),
        'expired at 2020-02-03T04:05:06',
      )
    })

    test(`${name}: narrower limits are what whoami shows, wider ones change nothing`, async () => {
      const narrower = extra({ acl: ['package_access'], channel: ['edge', 'stable'] })
      const narrow = (await ok(whoami(await attenuate(token, [narrower])))) as Record<string, unknown>
      assert.deepEqual(narrow['permissions'], ['package_access'])
      assert.deepEqual(narrow['channels'], ['edge'])

      const wider = extra({ acl: ['package_access', 'package_upload', 'edit_account'] })
      assert.deepEqual(await ok(whoami(await attenuate(token, [narrower, wider]))), narrow)
    })

    test(`${name}: limits that leave nothing, and conditions nobody knows, are refused`, async () => {
      const nothing = await attenuate(token, [extra({ channel: ['stable'] })])
      assert.equal((await whoami(nothing)).status, 401)
      assert.equal((await whoami(await attenuate(token, ['colour blue']))).status, 401)
    })
  }
})
