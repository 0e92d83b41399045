/**
 * Devices that wait for approval: strangers can't take the places of others, and waiting has a limit. IPv6,
 * which differs only in the names of the networks, is tested on one database.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type { PrivateKey } from '@ratafia/assertions'
import { rejectDevice } from '../../src/devices/decide.ts'
import { removeOldWaiting } from '../../src/devices/registration/approval/remove-old-waiting.ts'
import { deciding } from '../support/authorities.ts'
import { byOperator } from '../support/changes.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addAcmeModel,
  freshDeviceKeys,
  getRequestId,
  type RegisterInput,
  register,
  registered,
  withAcme,
} from '../support/devices.ts'
import { newModels } from '../support/own-devices.ts'
import { refusalOf, type TestService, testService } from '../support/service.ts'

const FROM_ADDRESS = 3
const FROM_NETWORK = 2 * FROM_ADDRESS
const DAY = 86_400_000
/** Generated once for both databases, because each has its own register. */
const someKeys = freshDeviceKeys(18)

eachDatabase((kind, _open, fresh) => {
  // Two nodes on one database, so that only the database can count.
  const environment = {
    RATAFIA_MAX_WAITING_DEVICES: String(FROM_ADDRESS),
    RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
  }
  const nodes = [testService(fresh, environment), testService(fresh, environment)] as const
  const [service] = nodes
  let keys: readonly PrivateKey[]
  before(async () => {
    await withAcme(service.installation)
    keys = await someKeys
  })

  const newOpenModel = newModels(service, 'waiting')
  const newModel = () => newOpenModel({ registration: 'approval' })
  const ask = (node: TestService, from: string, input: RegisterInput) =>
    register(node, { ...input, requestHeaders: { 'x-forwarded-for': from } })

  for (const { network, address, elsewhere, sameWide } of [
    {
      network: 'an IPv4 /24',
      address: (host: number) => `203.0.113.${host}`,
      elsewhere: '198.51.100.7',
      sameWide: '203.0.7.1',
    },
    {
      network: 'an IPv6 /48',
      address: (host: number) => `2001:db8:1:${host}::5`,
      elsewhere: '2001:db9::1',
      sameWide: '2001:db8:2::1',
    },
  ].slice(0, kind === 'sqlite' ? 2 : 1)) {
    test(`Guarantee: while ${network} floods two nodes with registrations, others get their places`, async () => {
      const { of, rows } = await newModel()
      const [honest, neighbour, ...flooding] = keys
      const answers = await Promise.all(
        flooding.map((key, index) => ask(nodes[index % 2] ?? service, address(index), { ...of, key })),
      )
      const waiting = answers.filter(({ status }) => status === 202)
      assert.deepEqual([waiting.length, (await rows()).length], [FROM_NETWORK, FROM_NETWORK])
      const refused = answers.find(({ status }) => status !== 202) ?? assert.fail()
      assert.deepEqual(refusalOf(refused), {
        status: 503,
        code: 'service-unavailable',
        message: 'Too many devices from your network are waiting for approval. Try again in 60 seconds.',
      })
      assert.equal(refused.headers.get('retry-after'), '60')
      for (const [from, key] of [
        [elsewhere, honest],
        [sameWide, neighbour],
      ] as const) {
        assert.equal((await ask(service, from, { ...of, ...(key ? { key } : {}) })).status, 202, from)
      }
      // Devices that already wait can keep polling.
      const again = await Promise.all(
        flooding.map((key, index) => ask(service, address(index), { ...of, key })),
      )
      assert.equal(again.filter(({ status }) => status === 202).length, FROM_NETWORK)
    })
  }

  test('one address has half the places of its network, and a decision frees one', async () => {
    const { of, rows } = await newModel()
    const askFrom = async (from: string, some: readonly PrivateKey[]) => {
      const answers = await Promise.all(some.map((key) => ask(service, from, { ...of, key })))
      return answers.filter(({ status }) => status === 202).length
    }
    assert.equal(await askFrom('192.0.2.1', keys.slice(0, 8)), FROM_ADDRESS)
    assert.equal(await askFrom('192.0.2.2', keys.slice(8, 16)), FROM_ADDRESS)
    assert.equal(await askFrom('192.0.2.3', keys.slice(16, 18)), 0)
    const [newest, oldest] = [(await rows())[0], (await rows()).at(-1)]
    assert.ok(newest && oldest)
    for (const { id } of [newest, oldest]) {
      await rejectDevice({ name: id, reason: 'No', authority: deciding('maria') }, service.installation)
    }
    assert.equal(await askFrom('192.0.2.3', keys.slice(16, 18)), 2)
    const { count } = await service.installation.database.query
      .selectFrom('device')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('status', '<>', 'pending')
      .where('waits_in_narrow', 'is not', null)
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), 0, "the decision clears the device's network")
  })

  describe('a device that waits too long', () => {
    const expire = async (days: number) => {
      const before = new Date(service.now().getTime() - days * DAY)
      // Devices of other tests are older, and there can be thousands.
      for (let removed = 0; ; ) {
        const more = await removeOldWaiting(before, 500, byOperator(service.installation))
        if (more === 0) return removed
        removed += more
      }
    }

    test('is removed with its requests and frees its place, and the audit log counts it', async () => {
      const { name, of, rows } = await newModel()
      const [first, second] = keys
      assert.ok(first && second)
      const requestId = await getRequestId(service)
      assert.equal((await register(service, { ...of, key: first, requestId })).status, 202)
      service.advance(10 * DAY)
      assert.equal((await register(service, { ...of, key: second, serial: 'SN-2' })).status, 202)
      await expire(10.1)
      assert.equal((await rows()).length, 2)
      assert.ok((await expire(9)) > 0)
      const [left, ...more] = await rows()
      assert.deepEqual([left?.deviceKeyId, more], [second.publicKey.id, []])
      const [entry] = await service.installation.audit.list(
        { subject: `${name.brandId}/${name.model}`, action: 'devices.expire' },
        { limit: 1 },
      )
      assert.equal(entry?.details, '{"removed":1}')
      // Its poll is refused. Then it registers again.
      const late = refusalOf(await register(service, { ...of, key: first, requestId }))
      assert.match(late.message, /^The request-id has expired/)
      assert.equal((await register(service, { ...of, key: first })).status, 202)
    })

    test('is not removed after a decision', async () => {
      const { of, latest, rows } = await newModel()
      const [key] = keys
      assert.ok(key)
      assert.equal((await register(service, { ...of, key })).status, 202)
      const device = await latest()
      await rejectDevice(
        { name: device.id, reason: 'No', authority: deciding('maria') },
        service.installation,
      )
      await expire(-1)
      assert.equal((await rows())[0]?.status, 'rejected')
    })

    test('registers and waits again if it polls at that moment', async () => {
      const { of, latest } = await newModel()
      const [key] = keys
      assert.ok(key)
      assert.equal((await register(service, { ...of, key })).status, 202)
      const device = await latest()
      await expire(-1)
      const use = { requestIdHash: randomBytes(32), requestHash: randomBytes(32) }
      const own = { deviceId: device.id, bucket: device.bucket }
      const caller = { address: '192.0.2.1', userAgent: '' }
      assert.equal(
        await service.installation.registrations.add({ ...use, ...own, at: service.now(), caller }),
        'lost',
      )
      assert.equal((await register(service, { ...of, key })).status, 202)
    })
  })

  test('the policy auto has no such limit', async () => {
    const modelText = await addAcmeModel(service.installation, 'no-waiting')
    for (const key of keys.slice(0, FROM_ADDRESS + 1)) {
      await registered(service, {
        model: 'no-waiting',
        modelText,
        key,
        requestHeaders: { 'x-forwarded-for': '203.0.113.9' },
      })
    }
  })
})
