/**
 * Guarantee: a permission that the operator withdraws also applies to a registration in progress: it is checked again
 * where the device is stored. Each change here is made, but not yet committed, when the registration reaches it.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { encode, type PrivateKey } from '@ratafia/assertions'
import { sql } from 'kysely'
import { brandStore } from '../../src/brands/brand-store.ts'
import { allowListStore } from '../../src/brands/models/allow-list/allow-list-store.ts'
import type { ModelPolicy } from '../../src/brands/models/model-policy.ts'
import { modelStore } from '../../src/brands/models/model-store.ts'
import { type Database, inTransaction } from '../../src/database/index.ts'
import { deviceStore } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { approveDevice } from '../../src/devices/registration/approval/approve.ts'
import { RequestError } from '../../src/errors.ts'
import { addApiKey, allowRemodel, removeModel } from '../support/as-operator.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { acmeKey, freshDeviceKeys, register, registered, withAcme } from '../support/devices.ts'
import { eventually } from '../support/eventually.ts'
import { newModels, remodelHeaders } from '../support/own-devices.ts'
import { refusalOf, testService } from '../support/service.ts'

type On = Pick<Database, 'query'>

/** Generated once for all tests. */
const someKeys = freshDeviceKeys(24)

eachDatabase((kind, open, fresh) => {
  const [service, other] = [testService(fresh), testService(fresh)] as const
  let database: Database
  let keys: PrivateKey[]
  before(async () => {
    await withAcme(service.installation)
    database = await open()
    keys = [...(await someKeys)]
  })
  const newKey = () => keys.pop() ?? assert.fail('more devices than keys')

  const newOpenModel = newModels(service, 'taken')
  /** Has an API key, for whose row a registration of the model has to wait. */
  const newModel = async (policy: Partial<ModelPolicy> = {}) => {
    const { name, of, ...found } = await newOpenModel(policy)
    const key = { model: name, label: 'factory', expiresAt: null, useLimit: null }
    const { text } = await addApiKey(key, service.installation)
    return { name, of: { ...of, requestHeaders: { 'api-key': text } }, ...found }
  }

  /** Runs `work` as far as possible while `change` is in progress; it continues when that is committed. */
  const during = async <T>(change: (on: On) => Promise<unknown>, work: () => Promise<T>): Promise<T> => {
    const started: Promise<T>[] = []
    await inTransaction(database.query, async (query) => {
      // SQLite has one lock for the whole database.
      await sql`update api_key set uses = uses`.execute(query)
      await change({ query })
      const working = work()
      started.push(working)
      await asFarAsItCan(working)
    })
    return (await started[0]) ?? assert.fail('it was not started')
  }
  const asFarAsItCan = async (working: Promise<unknown>) => {
    if (kind === 'postgres') {
      let ended = false
      const end = () => {
        ended = true
      }
      working.then(end, end)
      return eventually('it waits for a row or has ended', async () => ended || (await waitsForRow()))
    }
    // Many short waits instead of a long one: a machine that stalls for seconds skips only one of them.
    for (let waits = 0; waits < 50; waits++) await sleep(10)
  }
  const waitsForRow = async () => {
    const waits = sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`
    return (await waits.execute(database.query)).rows.length > 0
  }
  const decision = () => ({ at: service.now(), by: 'alice', reason: 'stolen' })

  test('a registration notices that its entry of the allow-list was removed', async () => {
    const { name, of, rows } = await newModel({ registration: 'allow-list' })
    const entry = [{ serial: 'SN-1', deviceKeyId: null }]
    await service.installation.allowList.add(name, entry, { at: service.now() })
    const key = newKey()
    const ask = () => register(service, { ...of, key, serial: 'SN-1' })
    const answer = await during((on) => allowListStore(on).remove(name, entry), ask)
    assert.match(refusalOf(answer).message, /^This device is not on the allow-list of its model\./)
    assert.deepEqual(await rows(), [])
    await service.installation.allowList.add(name, entry, { at: service.now() })
    assert.equal((await ask()).status, 200)
  })

  test('a registration notices a changed policy', async () => {
    const { name, of, rows } = await newModel()
    const approval = (on: On) => modelStore(on).setPolicy(name, { registration: 'approval' })
    const { status } = await during(approval, () => register(service, { ...of, key: newKey() }))
    assert.equal(status, 202)
    assert.deepEqual(
      (await rows()).map((row) => row.status),
      ['pending'],
    )
  })

  test('a registration notices a disabled signing key', async () => {
    const { of, rows } = await newModel()
    const key = newKey()
    const { id } = acmeKey().publicKey
    const disable = (on: On) => brandStore(on).disableKey(id, service.now())
    const answer = await during(disable, () => register(service, { ...of, key }))
    await database.query.updateTable('signing_key').set({ disabled_at: null }).execute()
    assert.match(refusalOf(answer).message, /^This service has no key that can sign serials of /)
    assert.deepEqual(await rows(), [])
    assert.equal((await register(service, { ...of, key })).status, 200)
  })

  for (const what of ['remodel', 'original device'] as const) {
    test(`a registration notices a revoked ${what}`, async () => {
      const [from, to] = [await newModel(), await newModel()]
      await allowRemodel({ from: from.name, to: to.name }, service.installation)
      const key = newKey()
      const original = await registered(service, { ...from.of, key })
      const device = await from.latest()
      const taken = (on: On) =>
        what === 'remodel'
          ? modelStore(on).disallowRemodel(from.name, to.name)
          : deviceStore(on).revoke(device, decision())
      const headers = remodelHeaders(from.name, original.fields.serial)
      const answer = await during(taken, () =>
        register(service, { ...to.of, key, headers, original: encode(original) }),
      )
      const message = what === 'remodel' ? /can't become/ : /its device is revoked/
      assert.match(refusalOf(answer).message, message)
      assert.deepEqual(await to.rows(), [])
    })
  }

  test('a registration notices that its imported device was revoked', async () => {
    const { name, of } = await newModel()
    const key = newKey()
    const own = { serial: 'SN-1', deviceKeyId: key.publicKey.id, registeredAt: service.now() }
    const device = newDevice({ ...name, ...own, status: 'active', origin: 'import' })
    assert.ok(await service.installation.devices.add(device))
    const answer = await during(
      (on) => deviceStore(on).revoke(device, decision()),
      () => register(service, { ...of, key }),
    )
    assert.match(refusalOf(answer).message, /^This device is revoked/)
    assert.deepEqual(await service.installation.devices.serialAssertionsOf(device), [])
  })

  test('a device in quarantine keeps its serial, even if another device requests it at that moment', async () => {
    const { of, latest, rows } = await newModel({ takenSerial: 'reissue' })
    await registered(service, { ...of, key: newKey(), serial: 'SN-1' })
    const holder = await latest()
    const answer = await during(
      (on) => deviceStore(on).setQuarantine(holder, service.now()),
      () => register(service, { ...of, key: newKey(), serial: 'SN-1' }),
    )
    assert.match(refusalOf(answer).message, /^The serial number SN-1 belongs to another device key\./)
    assert.deepEqual(
      (await rows()).map(({ status }) => status),
      ['active'],
    )
  })

  test("the second of two operators gets the first one's decision", async () => {
    const { of, latest } = await newModel({ registration: 'approval' })
    await register(service, { ...of, key: newKey(), serial: 'SN-1' })
    const device = await latest()
    const approve = () => approveDevice({ name: device.id, authority: deciding('bob') }, other.installation)
    await assert.rejects(
      during((on) => deviceStore(on).reject(device, decision()), approve),
      {
        code: 'state-conflict',
        message: `The device ${device.id} was just rejected by alice (stolen). To give it a serial anyway, approve it again.`,
      },
    )
    assert.equal((await approve()).device.status, 'active')
  })

  test('a removed model never has a device', async () => {
    const outcomes = new Set<string>()
    for (const key of keys.splice(0, 8)) {
      const { name, of, rows } = await newModel()
      const removal = async () => {
        try {
          await removeModel(name, other.installation)
          return 'removed'
        } catch (error) {
          assert.ok(error instanceof RequestError)
          assert.match(error.message, /^The register has devices of /)
          return 'kept'
        }
      }
      const registering = register(service, { ...of, key })
      await sleep(10 * outcomes.size)
      const [{ status }, outcome] = await Promise.all([registering, removal()])
      outcomes.add(outcome)
      const found = [(await service.installation.models.find(name)) !== undefined, (await rows()).length]
      assert.deepEqual([status, ...found], outcome === 'removed' ? [400, false, 0] : [200, true, 1])
    }
  })
})
