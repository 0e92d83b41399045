/**
 * Tests hostile requests to the management API. Guarantees: none gets a 5xx, and an administrator of one
 * brand never reads anything about another brand, in any status line, header or body, whatever they send.
 * RATAFIA_TEST_HOSTILE_TIMES=20 makes it twenty times as many.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { FULL, HOSTILE_TIMES } from '../../../../tools/test/effort.ts'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { addApiKey, addBrand, addModel, importAllowList } from '../support/as-operator.ts'
import { accountKeyFile, signedFile, testKey } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { freshDeviceKeys, register, withAcme } from '../support/devices.ts'
import { addManager, manage, managementToken } from '../support/managers.ts'
import { addPerson, logIn, type TestService, testService } from '../support/service.ts'
import { type ManagementSeeds, managementRequests } from './management-requests.ts'
import { answersOf } from './pipeline.ts'

const BATCH = 250
/** In everything that belongs to the other brand, and in no request. */
const HIDDEN = 'hidden'
const MODELS = ['other-brand/own', 'acme-brand/acme-classic']

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const wanted =
    Math.ceil(((FULL ? 10_000 : 500) * (kind === 'sqlite' ? 1 : 0.1) * HOSTILE_TIMES) / BATCH) * BATCH
  const seeds = new Map<string, ManagementSeeds>()

  before(async () => {
    const ids: string[] = []
    const { query } = service.installation.database
    for (let index = 0; index < 60; index++) {
      const hides = index % 2 === 0
      const deviceKeyId = Buffer.alloc(48, index + 1).toString('base64url')
      const device = newDevice({
        ...{ brandId: hides ? 'other-brand' : 'acme-brand', model: hides ? HIDDEN : 'acme-classic' },
        ...{ serial: hides ? `${HIDDEN}-${index}` : `W-${index}`, deviceKeyId, origin: 'import' },
        ...{ status: hides && index % 3 === 0 ? 'pending' : 'active', registeredAt: new Date(index * 1e9) },
      })
      const request = device.status === 'pending' ? Buffer.from(HIDDEN) : null
      await query
        .insertInto('device')
        .values({ ...rowOf(device), request, reason: hides ? HIDDEN : null })
        .execute()
      await query
        .insertInto('device_activity')
        .values({
          ...{ device_id: device.id, bucket: device.bucket, brand_id: device.brandId },
          ...{ last_seen_at: index * 1e9 + 1, evidence_at: index % 4 === 0 ? index * 1e9 + 2 : null },
          ...{ address: hides ? HIDDEN : '192.0.2.1', address_key: '00000000000000000000ffffc0000201' },
        })
        .execute()
      ids.push(device.id, ...(hides ? [] : [deviceKeyId]))
    }
    await query
      .insertInto('device_count')
      .values({ brand_id: 'other-brand', model: HIDDEN, status: 'active', devices: 1, counted_at: 1 })
      .execute()
    const named = await withBrands(service)
    ids.push(...named.ids, ...named.keys)
    const person = await addPerson(service)
    await logIn(service, person, { description: HIDDEN })
    const sessions = await service.installation.tokenSessions.list({ limit: 10 })
    await query
      .insertInto('token_activity')
      .values(sessions.map(({ id }) => ({ session_id: id, last_used_at: 1, address: HIDDEN })))
      .execute()
    const counted = { name: 'refusals', label: HIDDEN, at: Date.now(), n: 1 }
    await service.installation.counts.add(
      ['(all)', 'other-brand'].map((brandId) => ({ ...counted, brandId })),
    )
    ids.push(person.id, person.username, `${person.id}:viewer`, ...sessions.map(({ id }) => id))
    for (const role of ['operator', 'brand-manager acme-brand']) {
      const account = await addManager(service, role)
      // It can sign in, so it is the last operator, and none of its own requests can disable it.
      await service.installation.accounts.setPasswordHash(account.id, 'no hash')
      const token = await managementToken(service, account)
      const body = { kind: 'devices.import', format: 'csv', parts: 1 }
      const job = await manage(service, token, 'POST', '/jobs', { body })
      seeds.set(role, {
        token,
        ids: [...ids, account.username, job.body.id],
        keys: named.keys,
        models: MODELS,
      })
    }
  })

  for (const [role, says] of [
    // First, before hidden records are changed.
    ['brand-manager acme-brand', 'about another brand'],
    ['operator', 'of an operator'],
  ] as const) {
    test(`${wanted} requests ${says} get no 5xx and show nothing hidden`, async () => {
      const arbitrary = managementRequests(seeds.get(role) ?? assert.fail())
      const seen = new Map<number, number>()
      for (let sent = 0, seed = 1; sent < wanted; sent += BATCH, seed++) {
        const batch = fc.sample(arbitrary, { numRuns: BATCH, seed })
        const answers = await answersOf(service.baseUrl, batch)
        for (const [index, { status, head, body }] of answers.entries()) {
          const request = JSON.stringify(batch[index])
          assert.ok(status < 500, `${status} for ${request}`)
          seen.set(status, (seen.get(status) ?? 0) + 1)
          if (role === 'operator') continue
          assert.ok(!`${head}${body}`.includes(HIDDEN), `${request} shows ${body.toString().slice(0, 500)}`)
        }
      }
      // A flood that never passes the first check would prove nothing.
      assert.ok((seen.get(200) ?? 0) > wanted / 100, JSON.stringify([...seen]))
    })
  }
})

/** Creates acme-brand and other-brand, each with a model and its records. Returns how a request can name them. */
async function withBrands(service: TestService): Promise<Pick<ManagementSeeds, 'ids' | 'keys'>> {
  const { installation, now } = service
  const [brandId, key] = ['other-brand', testKey('unknown')]
  await withAcme({ ...installation, clock: now }, { registration: 'approval' })
  // They wait with requests that can be approved.
  for (const [index, deviceKey] of (await freshDeviceKeys(10)).entries()) {
    assert.equal((await register(service, { key: deviceKey, serial: `W-w-${index}` })).status, 202)
  }
  const waiting = await installation.devices.list({ brandId: 'acme-brand', status: 'pending', limit: 10 })
  const timestamp = '2021-01-01T00:00:00Z'
  const account = { 'account-id': brandId, 'display-name': HIDDEN, validation: 'unproven', timestamp }
  await addBrand(
    {
      account: signedFile('account', account),
      accountKey: accountKeyFile(brandId, key, { name: HIDDEN }),
      signingKey: { name: 'key', bytes: Buffer.from(key.keyObject.export({ format: 'pem', type: 'pkcs8' })) },
    },
    installation,
  )
  const own = { 'authority-id': brandId, series: '16', 'brand-id': brandId, model: 'own', classic: 'true' }
  const file = signedFile('model', { ...own, store: HIDDEN, timestamp }, { key })
  const policy = { ...DEFAULT_POLICY, registration: 'auto', serialTemplate: `${HIDDEN}-{number}` } as const
  await addModel({ file, policy }, installation)
  const keys: string[] = []
  for (const name of MODELS) {
    const [brand = '', model = ''] = name.split('/')
    const label = brand === brandId ? HIDDEN : 'line 1'
    const wanted = { model: { brandId: brand, model }, label, expiresAt: null, useLimit: null }
    keys.push((await addApiKey(wanted, installation)).key.id)
    const list = { model: wanted.model, format: 'csv' } as const
    await importAllowList(`serial\n${brand === brandId ? HIDDEN : 'W'}-1\n`, list, installation)
  }
  const signing = [key, testKey('brand')].map(({ publicKey }) => publicKey.id)
  const devices = waiting.map(({ id }) => id)
  return { ids: [brandId, 'acme-brand', ...devices], keys: [...keys, ...signing] }
}
