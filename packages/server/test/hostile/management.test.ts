/**
 * Hostile requests to the management API. Guarantees: none is a 5xx, and whoever administers one brand never reads a
 * word about another one: in no status line, header or body, whatever they send.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { FULL } from '../../../../tools/test/effort.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { eachDatabase } from '../support/databases.ts'
import { addManager, managementToken } from '../support/managers.ts'
import { addPerson, logIn, testService } from '../support/service.ts'
import { type ManagementSeeds, managementRequests } from './management-requests.ts'
import { answersOf } from './pipeline.ts'

const BATCH = 250
/** In what belongs to the other brand, and in no request. */
const HIDDEN = 'hidden'

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const wanted = Math.ceil(((FULL ? 20_000 : 1_500) * (kind === 'sqlite' ? 1 : 0.1)) / BATCH) * BATCH
  const seeds = new Map<string, ManagementSeeds>()

  before(async () => {
    const ids: string[] = []
    const { query } = service.installation.database
    for (let index = 0; index < 60; index++) {
      const hides = index % 2 === 0
      const deviceKeyId = Buffer.alloc(48, index + 1).toString('base64url')
      const device = newDevice({
        ...{ brandId: hides ? 'other-brand' : 'acme-brand', model: hides ? HIDDEN : 'acme-classic' },
        ...{
          serial: hides ? `${HIDDEN}-${index}` : `W-${index}`,
          deviceKeyId,
          revision: null,
          origin: 'import',
        },
        ...{ status: index % 3 === 0 ? 'pending' : 'active', registeredAt: new Date(index * 1e9) },
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
    const person = await addPerson(service)
    await logIn(service, person, { description: HIDDEN })
    const sessions = await service.installation.tokenSessions.list({ limit: 10 })
    ids.push(person.id, person.username, `${person.id}:viewer`, ...sessions.map(({ id }) => id))
    for (const role of ['operator', 'brand-manager acme-brand']) {
      const account = await addManager(service, role)
      // It can sign in, so it is the last operator, and no request of its own disables it.
      await service.installation.accounts.setPasswordHash(account.id, 'no hash')
      seeds.set(role, { token: await managementToken(service, account), ids: [...ids, account.username] })
    }
  })

  for (const [role, says] of [
    ['operator', 'of an operator'],
    ['brand-manager acme-brand', 'across the border of a brand'],
  ] as const) {
    test(`${wanted} requests ${says} are answered without a 5xx, and show nothing that is hidden`, async () => {
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
      // A flood that never gets past the first check would show nothing.
      assert.ok((seen.get(200) ?? 0) > wanted / 100, JSON.stringify([...seen]))
    })
  }
})
