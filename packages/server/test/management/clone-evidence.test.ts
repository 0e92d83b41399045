/** Tests evidence of clones of all devices against a simple model of the list. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import { bucketOf } from '../../src/bucket.ts'
import { insertMany } from '../../src/database/index.ts'
import { CLONE_EVIDENCE_KINDS } from '../../src/devices/clones/clone-evidence.ts'
import { type EvidencePosition, listCloneEvidence } from '../../src/devices/clones/list-evidence.ts'
import type { Device } from '../../src/devices/device.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { everyPage, manage, managerToken } from '../support/managers.ts'
import { addDevices } from '../support/register.ts'
import { refusalOf, testService } from '../support/service.ts'

const BRANDS = ['acme', 'best', 'cook']
const START = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 3_600_000
const iso = (at: number) => new Date(at).toISOString()

/** More devices than a page reads. */
const register: readonly Device[] = Array.from({ length: 260 }, (_, index) => {
  const deviceKeyId = Buffer.alloc(48, index % 251)
    .fill(index % 256, 40)
    .toString('base64url')
  return {
    ...newDevice({
      ...{ brandId: BRANDS[index % 3] ?? '', model: `m${index % 4}`, deviceKeyId, origin: 'import' as const },
      ...{ original: null, registeredAt: new Date(START) },
    }),
    id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}` as DeviceId,
    bucket: bucketOf(deviceKeyId),
    ...{ status: 'active' as const, serial: `C-${index}` },
    quarantinedAt: index % 10 === 0 ? new Date(START) : null,
  }
})

interface Row {
  readonly device: Device
  readonly kind: string
  readonly subject: string
  readonly at: number
}

/** Up to five rows for each device, some at the same moment; every seventh device has none. */
const rows: readonly Row[] = register.flatMap((device, index) =>
  Array.from({ length: index % 7 === 0 ? 0 : 1 + (index % 5) }, (_, row) => ({
    device,
    kind: CLONE_EVIDENCE_KINDS[(index + row) % 4] ?? '',
    subject: `s-${9 - row}`,
    at: START + ((index * 13) % 90) * HOUR - (row % 3) * HOUR,
  })),
)
const newest = new Map(
  [...Map.groupBy(rows, ({ device }) => device.id)].map(([id, own]) => [
    id,
    Math.max(...own.map(({ at }) => at)),
  ]),
)

const compareTexts = (one: string, other: string) => (one < other ? -1 : Number(one > other))

const expected = (fits: (row: Row) => boolean): readonly string[] =>
  rows
    .filter(fits)
    .sort(
      (one, other) =>
        (newest.get(other.device.id) ?? 0) - (newest.get(one.device.id) ?? 0) ||
        compareTexts(other.device.id, one.device.id) ||
        other.at - one.at ||
        compareTexts(one.kind, other.kind) ||
        compareTexts(one.subject, other.subject),
    )
    .map(({ device, kind, subject, at }) => `${device.serial} ${kind} ${subject} ${iso(at)}`)

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator: string
  let viewer: string

  before(async () => {
    operator = await managerToken(service, 'operator')
    viewer = await managerToken(service, 'viewer best')
    const { query } = service.installation.database
    await addDevices(service, register)
    const evidence = rows.map(({ device, kind, subject, at }) => ({
      ...{ device_id: device.id, bucket: device.bucket, kind, subject, times: 2 },
      ...{ first_seen_at: at - HOUR, last_seen_at: at, details: '{"address":"192.0.2.1"}' },
    }))
    await insertMany(query, 'clone_evidence', evidence).execute()
    const marked = register.flatMap(({ id, bucket, brandId }) => {
      const at = newest.get(id)
      const unseen = { last_seen_at: null, address: null, address_key: null }
      return at === undefined
        ? []
        : [{ ...unseen, device_id: id, bucket, brand_id: brandId, evidence_at: at }]
    })
    await query.insertInto('device_activity').values(marked).execute()
  })

  const get = async (token: string, query = '') => {
    const { status, body } = await manage(service, token, 'GET', '/clone-evidence', { query })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  interface Listed {
    readonly serial: string
    readonly kind: string
    readonly subject: string
    readonly last_seen_at: string
  }
  const all = async (token: string, limit: number, query = '') => {
    const list: readonly Listed[] = await everyPage(service, token, '/clone-evidence', {
      ...{ field: 'evidence', query, limit },
    })
    return list.map((one) => `${one.serial} ${one.kind} ${one.subject} ${one.last_seen_at}`)
  }

  test('lists the device with the newest evidence first, whatever the page size', async () => {
    const wanted = expected(() => true)
    assert.ok(wanted.length > 500)
    for (const limit of [2, 3, 7, 100, 1000]) assert.deepEqual(await all(operator, limit), wanted, `${limit}`)
  })

  test('filters by kind, brand, model and time', async () => {
    const since = START + 60 * HOUR
    const cases: readonly (readonly [filters: string, fits: (row: Row) => boolean])[] = [
      ...CLONE_EVIDENCE_KINDS.map((kind) => [`&kind=${kind}`, (row: Row) => row.kind === kind] as const),
      ['&kind=two-chains&kind=second-key', ({ kind }) => kind === 'two-chains' || kind === 'second-key'],
      ['&brand=acme&brand=cook', ({ device }) => device.brandId !== 'best'],
      ['&model=best/m1', ({ device }) => device.brandId === 'best' && device.model === 'm1'],
      ['&model=best/m1&brand=acme', () => false],
      [`&since=${iso(since)}`, ({ at }) => at >= since],
      [
        `&since=${iso(since)}&brand=best&kind=second-chain`,
        ({ at, kind, device }) => at >= since && kind === 'second-chain' && device.brandId === 'best',
      ],
    ]
    for (const [filters, fits] of cases) {
      for (const limit of [4, 1000]) {
        assert.deepEqual(await all(operator, limit, filters), expected(fits), `${filters} ${limit}`)
      }
    }
  })

  test('does not search for evidence from before the given time', async () => {
    const [first] = (await get(operator, '?limit=1')).evidence
    const body = await get(operator, `?limit=1000&since=${first.last_seen_at}`)
    assert.ok(body.evidence.length > 0)
    assert.equal(body.next, null)
  })

  test('a page that stops after a few rows can be continued, and nothing is lost', async () => {
    const { installation } = service
    const filter = { models: [{ brandId: 'cook', model: 'm2' }], kinds: ['second-key' as const] }
    const found: string[] = []
    let short = 0
    for (let after: EvidencePosition | undefined; ; ) {
      const { evidence, next, examined } = await listCloneEvidence(
        { authority: deciding(), filter, after, limit: 3 },
        { ...installation, mostRows: 12 },
      )
      short += examined === undefined ? 0 : 1
      found.push(
        ...evidence.map(({ device, evidence: { kind, subject, lastSeenAt } }) =>
          [device.serial, kind, subject, lastSeenAt.toISOString()].join(' '),
        ),
      )
      if (!next) break
      after = next
    }
    assert.ok(short > 0)
    assert.deepEqual(
      found,
      expected(
        ({ device, kind }) => device.brandId === 'cook' && device.model === 'm2' && kind === 'second-key',
      ),
    )
  })

  test('a record names the device and the evidence', async () => {
    const { evidence } = await get(operator, '?limit=1')
    const [record] = evidence
    const { id } = register.find(({ serial }) => serial === record.serial) ?? assert.fail('no such device')
    const own = await manage(service, operator, 'GET', `/devices/${id}/evidence`)
    const device = await manage(service, operator, 'GET', `/devices/${id}`)
    const { brand_id, model, serial, status, quarantined_at } = device.body
    assert.deepEqual(record, {
      ...{ device_id: id, brand_id, model, serial, status, quarantined_at },
      ...own.body.evidence[0],
    })
  })

  test('Guarantee: hides evidence of other brands, and no page or cursor reveals it', async () => {
    const own = expected(({ device }) => device.brandId === 'best')
    for (const filters of ['', '&brand=best', '&brand=best&brand=acme']) {
      assert.deepEqual(await all(viewer, 1000, filters), own)
    }
    // As many pages as without another brand.
    const devices = new Set(own.map((line) => line.split(' ')[0])).size
    assert.ok(devices < 100)
    const first = await get(viewer, '?limit=1000')
    assert.deepEqual([first.next, first.evidence.length], [null, own.length])
    for (const query of ['?brand=acme', '?brand=unknown', '?model=acme/m1', '?model=unknown/m1']) {
      assert.deepEqual(await get(viewer, query), { evidence: [], next: null }, query)
    }
    // A cursor is a position: another user's cursor begins elsewhere in what the caller can see.
    const { next } = await get(operator, '?limit=300')
    const { evidence } = await get(viewer, `?limit=300&cursor=${next}`)
    assert.ok(evidence.every(({ brand_id }: { brand_id: string }) => brand_id === 'best'))
  })

  test('refuses a missing permission, unknown parameters, and a cursor of a different list', async () => {
    const accountManager = await managerToken(service, 'account-manager')
    const ask = (token: string, query: string) => manage(service, token, 'GET', '/clone-evidence', { query })
    const denied = await ask(accountManager, '')
    assert.deepEqual([denied.status, refusalOf(denied).code], [403, 'permission-denied'])
    const { next } = await get(operator, '?limit=1')
    for (const query of [
      ...['?kind=third-chain', '?limit=1001', '?serial=C-1', '?since=2026-02-31T00:00:00Z'],
      ...[`?cursor=${next}&kind=two-chains`, `?cursor=${Buffer.from('["x","",""]').toString('base64url')}`],
    ]) {
      const { status } = await ask(operator, query)
      assert.equal(status, 400, query)
    }
  })
})
