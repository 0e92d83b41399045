// Checks that caveats apply that a holder appends to a token offline with third-party libraries.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { type Answer, type Driver, pythonBakery, rustMacaroons } from './support/driver.ts'
import { assertUnauthorized, ok } from './support/token-life.ts'
import { onEachDatabase } from './support/world.ts'

/** Returns the headers that present the token with `conditions` appended. */
type Attenuate = (token: string, conditions: readonly string[]) => Promise<Readonly<Record<string, string>>>

/** The part of the package that is used here. The package has no types. */
interface NpmMacaroon {
  importMacaroon(serialized: Uint8Array | object): {
    addFirstPartyCaveat(condition: string): void
    exportJSON(): object
  }
}
const { importMacaroon } = createRequire(import.meta.url)('macaroon') as NpmMacaroon

/** Returns a caveat in the format of Python's json.dumps. */
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
  let rust: Driver
  let token: string

  before(async () => {
    const { service, agentFile } = world()
    client = pythonBakery({ BAKERY_AGENT_FILE: agentFile })
    rust = rustMacaroons()
    const body = { permissions: ['package_access', 'package_upload'], channels: ['edge', 'beta'] }
    const login = await client.ask({ do: 'login', service: service.url, body })
    assert.ok(login.token, login.message)
    token = login.token
  })
  after(() => Promise.all([client.close(), rust.close()]))

  const whoami = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
    client.ask({ do: 'call', method: 'GET', url: `${world().service.url}/api/v2/tokens/whoami`, headers })

  /** Reads a token, appends conditions and writes it with a crate. `from` can also be JSON. */
  const withCrate = async (crate: string, from: string, conditions: readonly string[], format: string) => {
    const answer = await rust.ask({ do: crate, token: from, conditions, format })
    assert.ok(answer.token, answer.message)
    assert.deepEqual(answer.conditions?.slice(-conditions.length), conditions)
    return answer.token
  }
  const inList = (json: string) => ({ Macaroons: btoa(`[${json}]`) })

  const libraries: Record<string, Attenuate> = {
    'crate macaroon, binary': async (from, conditions) => ({
      Authorization: `Macaroon ${await withCrate('macaroon', from, conditions, 'binary')}`,
    }),
    'crate libmacaroon, binary': async (from, conditions) => ({
      Authorization: `Macaroon ${await withCrate('libmacaroon', from, conditions, 'binary')}`,
    }),
    'crate libmacaroon, JSON': async (from, conditions) =>
      inList(await withCrate('libmacaroon', from, conditions, 'json')),
    'npm macaroon': async (from, conditions) => {
      const macaroon = importMacaroon(Buffer.from(from, 'base64url'))
      for (const condition of conditions) macaroon.addFirstPartyCaveat(condition)
      // Send JSON, as bakeryjs does: the binary writer doubles its buffer with every field until memory runs out.
      return { Macaroons: btoa(JSON.stringify([macaroon.exportJSON()])) }
    },
    pymacaroons: async (from, conditions) => {
      const answer = await client.ask({ do: 'attenuate', token: from, conditions })
      assert.ok(answer.token, answer.message)
      assert.deepEqual(answer.conditions?.slice(-conditions.length), conditions)
      return { Authorization: `Macaroon ${answer.token}` }
    },
  }

  /** Functions that append a condition to the JSON of a root, and write JSON again. */
  const roots: Record<string, (root: string, condition: string) => Promise<string>> = {
    'npm macaroon': async (root, condition) => {
      const macaroon = importMacaroon(JSON.parse(root))
      macaroon.addFirstPartyCaveat(condition)
      return JSON.stringify(macaroon.exportJSON())
    },
    pymacaroons: async (root, condition) => {
      const answer = await client.ask({ do: 'attenuate', token: root, conditions: [condition] })
      assert.ok(answer.token, answer.message)
      return answer.token
    },
    'crate macaroon': (root, condition) => withCrate('macaroon', root, [condition], 'json'),
    'crate libmacaroon': (root, condition) => withCrate('libmacaroon', root, [condition], 'json'),
  }
  for (const [name, narrow] of Object.entries(roots)) {
    test(`${name}: reads, narrows, discharges and exchanges a root of the largest size`, async () => {
      const packages = Array.from({ length: 256 }, (_, i) => ({ snap_id: `${i}`.padStart(32, 'aB3dE5fG7h') }))
      const channels = Array.from({ length: 256 }, (_, i) => `${i}.04/candidate/fix-${i}`)
      const body = { permissions: ['package_access', 'package_upload'], packages, channels }
      const headers = { 'Content-Type': 'application/json' }
      const created = await client.ask({
        do: 'call',
        method: 'POST',
        url: `${world().service.url}/api/v2/tokens`,
        headers,
        body,
      })
      const { macaroon } = (await ok(Promise.resolve(created))) as { macaroon: string }
      const narrowed = await narrow(macaroon, extra({ acl: ['package_access'] }))
      const { macaroons, message } = await client.ask({ do: 'discharge', macaroon: narrowed })
      assert.ok(macaroons, message)
      const shown = (await ok(whoami({ Macaroons: macaroons }))) as Record<string, unknown>
      assert.deepEqual(shown['permissions'], ['package_access'])
      assert.deepEqual(
        shown['packages'],
        packages.map(({ snap_id }) => snap_id),
      )
      assert.deepEqual(shown['channels'], channels)
    })
  }

  for (const [name, attenuate] of Object.entries(libraries)) {
    test(`${name}: a token stays valid when it is read and written`, async () => {
      const limits = (await ok(whoami({ Authorization: `Macaroon ${token}` }))) as Record<string, unknown>
      const later = await attenuate(token, ['time-before 2099-01-01T00:00:00Z'])
      assert.deepEqual(await ok(whoami(later)), limits)
    })

    test(`${name}: a token narrowed to a time in the past gets a 401`, async () => {
      const past = '2020-02-03T04:05:06.000000Z'
      assertUnauthorized(
        await whoami(await attenuate(token, [`time-before ${past}`])),
        'expired at 2020-02-03T04:05:06',
      )
    })

    test(`${name}: whoami shows narrower limits, and wider ones change nothing`, async () => {
      const narrower = extra({ acl: ['package_access'], channel: ['edge', 'stable'] })
      const narrow = (await ok(whoami(await attenuate(token, [narrower])))) as Record<string, unknown>
      assert.deepEqual(narrow['permissions'], ['package_access'])
      assert.deepEqual(narrow['channels'], ['edge'])

      const wider = extra({ acl: ['package_access', 'package_upload', 'edit_account'] })
      assert.deepEqual(await ok(whoami(await attenuate(token, [narrower, wider]))), narrow)
    })

    test(`${name}: limits that leave nothing, and unknown conditions, are refused`, async () => {
      const nothing = await attenuate(token, [extra({ channel: ['stable'] })])
      assert.equal((await whoami(nothing)).status, 401)
      assert.equal((await whoami(await attenuate(token, ['colour blue']))).status, 401)
    })
  }
})
