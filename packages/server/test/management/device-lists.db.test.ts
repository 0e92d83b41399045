/** Tests lists of devices in the management API against a simple model of them. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import type { DeviceId } from '@ratafia/api'
import fc from 'fast-check'
import { addressKey } from '../../src/addresses/address.ts'
import { addressRange } from '../../src/addresses/address-classes.ts'
import { scopeOfRoles } from '../../src/authority.ts'
import { bucketOf } from '../../src/bucket.ts'
import { insertMany } from '../../src/database/index.ts'
import type { CloneEvidenceKind } from '../../src/devices/clones/clone-evidence.ts'
import { DEVICE_ORIGINS, DEVICE_STATUSES, type Device } from '../../src/devices/device.ts'
import { rowOf } from '../../src/devices/device-store.ts'
import {
  comparePositions,
  LIST_SORTS,
  type ListFilter,
  type ListPosition,
  type ListSort,
} from '../../src/devices/fleet/list-filter.ts'
import { listFleet } from '../../src/devices/fleet/list-fleet.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { manage, managerToken } from '../support/managers.ts'
import { refusalOf, testService } from '../support/service.ts'

const BRANDS = ['acme', 'best', 'cook']
const START = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 3_600_000

const idOf = (index: number) => {
  const hex = (index * 40503).toString(16).padStart(12, '0')
  return `019${String(index).padStart(5, '0')}-0000-7000-8000-${hex}` as DeviceId
}

/** 300 devices of three brands. Several share a time or the beginning of a serial, or have another's id as serial. */
const register: readonly Device[] = Array.from({ length: 300 }, (_, index) => {
  const brandId = BRANDS[(index * 7) % 3] ?? ''
  const status = DEVICE_STATUSES[(index * 11) % 5] ?? 'active'
  const deviceKeyId = Buffer.alloc(48, (index * 37) % 251)
    .fill(index % 256, 40)
    .toString('base64url')
  return {
    id: idOf(index),
    bucket: bucketOf(deviceKeyId),
    brandId,
    model: `m${index % 4}`,
    serial:
      status === 'pending' && index % 2 === 0
        ? ''
        : index % 17 === 5
          ? idOf(index - 1)
          : `${'AZaz'[index % 4]}-${String(index % 50).padStart(3, '0')}-${index}`,
    deviceKeyId,
    status,
    revision: null,
    origin: DEVICE_ORIGINS[index % 3] ?? 'import',
    original: null,
    registeredAt: new Date(START + (index % 60) * HOUR),
    decidedAt: null,
    decidedBy: index % 4 === 0 ? 'ada' : null,
    reason: null,
    quarantinedAt: index % 13 === 0 ? new Date(START) : null,
  }
})

interface Seen {
  readonly seenAt: number | null
  readonly address: string | null
  readonly evidenceAt: number | null
}

const ADDRESSES = ['192.0.2.1', '192.0.2.200', '198.51.100.7', '2001:db8::1', '2001:db8:0:1::9', 'unknown']

/** A third was never seen, though some of those have evidence. Several were seen at the same moment. */
const activity = new Map<string, Seen>(
  register.flatMap(({ id }, index) => {
    const seenAt = index % 3 === 0 ? null : START + ((index * 17) % 50) * HOUR
    const evidenceAt = index % 7 === 0 ? START + (index % 20) * HOUR : null
    const address = seenAt === null ? null : (ADDRESSES[index % ADDRESSES.length] ?? null)
    return seenAt === null && evidenceAt === null ? [] : [[id, { seenAt, address, evidenceAt }]]
  }),
)

const PAST = ['192.0.2.77', '2001:db8::77'] as const
const KINDS = ['second-chain', 'two-chains'] as const

interface Past {
  /** When the device opened sessions. */
  readonly sessions: readonly number[]
  /** When it opened the last of the sessions that retention has removed. */
  readonly removedAt: number | null
  readonly addresses: readonly string[]
  readonly kinds: readonly CloneEvidenceKind[]
}

/** A quarter has sessions and some have had one; the others have only registered. */
const pastOf = ({ id }: Device): Past => {
  const index = register.findIndex((one) => one.id === id)
  const sessions = index % 4 === 1 ? [START + (index % 40) * HOUR, START + (index % 9) * HOUR] : []
  return {
    sessions,
    removedAt: index % 8 === 3 ? START + (index % 30) * HOUR : null,
    addresses: sessions.length > 0 || index % 5 === 2 ? [PAST[index % 2] ?? ''] : [],
    kinds: index % 7 === 0 ? KINDS.slice(index % 2) : [],
  }
}

function fitsPast(device: Device, filter: ListFilter): boolean {
  const { sessions, removedAt, addresses, kinds } = pastOf(device)
  const { sessionSince, sessionUntil, withoutSession, pastAddress, evidenceKinds } = filter
  const last = sessions.length > 0 ? Math.max(...sessions) : removedAt
  return (
    (!sessionSince || (last !== null && last >= sessionSince.getTime())) &&
    (!sessionUntil || (last !== null && last < sessionUntil.getTime())) &&
    (withoutSession === undefined || withoutSession === (last === null)) &&
    (pastAddress === undefined || addresses.includes(pastAddress)) &&
    (!evidenceKinds || evidenceKinds.some((kind) => kinds.includes(kind)))
  )
}

const seenAtOf = ({ id }: Device) => activity.get(id)?.seenAt ?? null

/** Returns undefined if the device is not in the list. */
function placeOf(device: Device, sort: ListSort): ListPosition | undefined {
  const keys = {
    registered: device.registeredAt.getTime(),
    serial: device.serial,
    seen: seenAtOf(device),
    evidence: activity.get(device.id)?.evidenceAt ?? null,
  }
  const key = keys[sort.replace('-', '') as keyof typeof keys]
  return key === null ? undefined : { key, id: device.id }
}

function expectedOf(devices: readonly Device[], sort: ListSort): readonly string[] {
  return devices
    .flatMap((one) => placeOf(one, sort) ?? [])
    .sort((a, b) => comparePositions(a, b, sort))
    .map(({ id }) => id)
}

const asks = ({ status }: Device) => status === 'pending' || status === 'rejected'

function fits(device: Device, filter: ListFilter): boolean {
  const { serialPrefix, keyPrefix, search, registeredSince, registeredUntil } = filter
  const isOne = <T>(list: readonly T[] | undefined, value: T) => !list || list.includes(value)
  return (
    (filter.id === undefined || device.id === filter.id) &&
    (filter.serial === undefined || device.serial === filter.serial) &&
    (filter.deviceKeyId === undefined || device.deviceKeyId === filter.deviceKeyId) &&
    (serialPrefix === undefined || device.serial.startsWith(serialPrefix)) &&
    (keyPrefix === undefined || device.deviceKeyId.startsWith(keyPrefix)) &&
    (search === undefined ||
      device.serial.includes(search) ||
      device.id === search ||
      (search.length >= 8 && device.deviceKeyId.startsWith(search))) &&
    isOne(filter.brands, device.brandId) &&
    (!filter.models ||
      filter.models.some(({ brandId, model }) => brandId === device.brandId && model === device.model)) &&
    isOne(filter.statuses, device.status) &&
    (filter.quarantined === undefined || filter.quarantined === (device.quarantinedAt !== null)) &&
    (!registeredSince || device.registeredAt >= registeredSince) &&
    (!registeredUntil || device.registeredAt < registeredUntil) &&
    isOne(filter.origins, device.origin) &&
    isSeen(device, filter) &&
    fitsPast(device, filter) &&
    (!filter.decidedBy || (device.decidedBy !== null && filter.decidedBy.includes(device.decidedBy)))
  )
}

function isSeen(
  device: Device,
  { seenSince, seenUntil, neverSeen, addresses, evidence }: ListFilter,
): boolean {
  const { seenAt = null, address, evidenceAt = null } = activity.get(device.id) ?? {}
  const key = addressKey(address ?? '')
  return (
    (!seenSince || (seenAt !== null && seenAt >= seenSince.getTime())) &&
    (!seenUntil || (seenAt !== null && seenAt < seenUntil.getTime())) &&
    (neverSeen === undefined || neverSeen === (seenAt === null)) &&
    (!addresses || addresses.some(({ first, last }) => key !== undefined && first <= key && key <= last)) &&
    (evidence === undefined || evidence === (evidenceAt !== null))
  )
}

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })
const device = fc.constantFrom(...register)
const instant = fc.integer({ min: -1, max: 61 }).map((hours) => new Date(START + hours * HOUR))

const EVERY = {
  id: device.map(({ id }) => id),
  serial: device.map(({ serial }) => serial || 'none'),
  deviceKeyId: device.map(({ deviceKeyId }) => deviceKeyId),
  serialPrefix: device.map(({ serial }) => serial.slice(0, 3) || 'A'),
  keyPrefix: device.map(({ deviceKeyId }) => deviceKeyId.slice(0, 9)),
  search: fc.oneof(
    fc
      .tuple(device, fc.nat(7), fc.integer({ min: 1, max: 12 }))
      .map(([{ serial, deviceKeyId }, from, length]) =>
        serial === '' ? deviceKeyId.slice(0, 8) : serial.slice(from, from + length) || '%',
      ),
    device.map(({ id }) => id),
    device.map(({ serial, deviceKeyId }) => serial || deviceKeyId),
  ),
  brands: some([...BRANDS, 'unknown']),
  models: fc.subarray(
    BRANDS.flatMap((brandId) => [
      { brandId, model: 'm1' },
      { brandId, model: 'm2' },
    ]),
    { minLength: 1 },
  ),
  statuses: some(DEVICE_STATUSES),
  quarantined: fc.boolean(),
  registeredSince: instant,
  registeredUntil: instant,
  origins: some(DEVICE_ORIGINS),
  decidedBy: fc.constant(['ada']),
  seenSince: instant,
  seenUntil: instant,
  neverSeen: fc.boolean(),
  addresses: some(
    ['192.0.2.0/24', '192.0.2.1', '198.51.100.0/30', '2001:db8::/32', '2001:db8::/64', '0.0.0.0/0'].flatMap(
      (text) => addressRange(text) ?? [],
    ),
  ),
  evidence: fc.boolean(),
  sessionSince: instant,
  sessionUntil: instant,
  withoutSession: fc.boolean(),
  pastAddress: fc.constantFrom(...PAST, '203.0.113.9'),
  evidenceKinds: some(['second-chain', 'two-chains', 'second-key'] as const),
}

/** Up to three filters at a time: with more, hardly any device matches. */
const filters: fc.Arbitrary<ListFilter> = fc
  .tuple(fc.record(EVERY), fc.subarray(Object.keys(EVERY) as (keyof typeof EVERY)[], { maxLength: 3 }))
  .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name]])))

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)

  before(async () => {
    const { query } = service.installation.database
    const devices = register.map((one) => ({
      ...{ ...rowOf(one), request: asks(one) ? Buffer.from('x') : null },
      last_session_at: pastOf(one).removedAt,
    }))
    await insertMany(query, 'device', devices).execute()
    const brands = new Map<string, Device>(register.map((one) => [one.id, one]))
    const rows = [...activity].map(([id, { seenAt, address, evidenceAt }]) => {
      const { bucket, brandId } = brands.get(id) ?? assert.fail()
      return {
        ...{ device_id: id, bucket, brand_id: brandId, last_seen_at: seenAt, evidence_at: evidenceAt },
        ...{ address, address_key: addressKey(address ?? '') ?? null },
      }
    })
    await insertMany(query, 'device_activity', rows).execute()
    const pasts = register.map((one) => ({ ...pastOf(one), own: { device_id: one.id, bucket: one.bucket } }))
    const sessions = pasts.flatMap(({ own, sessions, addresses: [address = ''] }) =>
      sessions.map((at) => ({
        ...{ ...own, session_id: randomUUID(), chain_id: '', opened_at: at, expires_at: at },
        ...{ nonce_hash: randomBytes(8), request_hash: randomBytes(8), macaroon_id: randomBytes(8) },
        ...{ address, user_agent: '' },
      })),
    )
    await insertMany(query, 'device_session', sessions).execute()
    const registrations = pasts.flatMap(({ own, sessions, addresses }) =>
      (sessions.length === 0 ? addresses : []).map((address) => ({
        ...{ ...own, request_id_hash: randomBytes(8), request_hash: randomBytes(8), address },
        ...{ registered_at: START, user_agent: '' },
      })),
    )
    await insertMany(query, 'device_registration', registrations).execute()
    const evidence = pasts.flatMap(({ own, kinds }) =>
      kinds.map((kind) => ({
        ...{ ...own, kind, subject: '', first_seen_at: START, last_seen_at: START, times: 1, details: '{}' },
      })),
    )
    await insertMany(query, 'clone_evidence', evidence).execute()
  })

  /** Lists page by page to the end. */
  const listed = async (
    filter: ListFilter,
    how: { sort: ListSort; limit: number; mostRows: number; scope: readonly string[] | 'all' },
  ) => {
    const { sort, limit, mostRows, scope } = how
    const roles = (brands: readonly string[]) =>
      brands.map((brandId) => ({ role: 'viewer' as const, brandId }))
    const authority = {
      ...deciding(),
      scopeOf: () => (scope === 'all' ? scope : scopeOfRoles(roles(scope), 'devices:read')),
    }
    const found: string[] = []
    let after: ListPosition | undefined
    for (let pages = 0; pages < 2000; pages++) {
      const page = await listFleet(
        { authority, filter, sort, after, limit },
        { ...service.installation, mostRows },
      )
      assert.ok(page.devices.length <= limit)
      found.push(...page.devices.map(({ device }) => device.id))
      if (!page.next) return found
      // Every page makes progress, even an empty one.
      if (after) assert.ok(comparePositions(after, page.next, sort) < 0, 'the list makes progress')
      after = page.next
    }
    return assert.fail('the list has no end')
  }

  test('every filter and order, for any visible brands, lists each device once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.record({
          sort: fc.constantFrom(...LIST_SORTS),
          limit: fc.constantFrom(1, 7, 100, 1000),
          mostRows: fc.constantFrom(3, 40, 20_000),
          scope: fc.oneof(fc.constant('all' as const), fc.subarray([...BRANDS, 'unknown'], { minLength: 1 })),
        }),
        async (filter, how) => {
          // A page of one device, three rows at a time, needs hundreds of statements.
          fc.pre(how.mostRows > 3 || how.limit > 7)
          const expected = register
            .filter(({ brandId }) => how.scope === 'all' || how.scope.includes(brandId))
            .filter((one) => fits(one, filter))
          assert.deepEqual(await listed(filter, how), expectedOf(expected, how.sort))
        },
      ),
      { numRuns: kind === 'sqlite' ? 150 : 80 },
    )
  })

  test('over HTTP, pages by a cursor that works only with the same parameters', async () => {
    const token = await managerToken(service, 'viewer best')
    const get = (query: string) => manage(service, token, 'GET', '/devices', { query })
    const ids: string[] = []
    let query = '?status=active&status=revoked&sort=serial&limit=7'
    for (let cursor = ''; ; ) {
      const { status, body } = await get(`${query}${cursor}`)
      assert.equal(status, 200, JSON.stringify(body))
      ids.push(...body.devices.map((one: { id: string }) => one.id))
      if (body.next === null) break
      cursor = `&cursor=${body.next}`
      // The page size can change.
      query = query.replace('limit=7', 'limit=3')
    }
    const expected = register
      .filter(({ brandId, status }) => brandId === 'best' && ['active', 'revoked'].includes(status))
      .sort((a, b) => (a.serial < b.serial ? -1 : 1))
    assert.deepEqual(
      ids,
      expected.map(({ id }) => id),
    )
    const { body } = await get('?limit=1')
    for (const other of ['sort=serial', 'status=active', 'brand=best', 'q=A']) {
      const { status, code } = refusalOf(await get(`?${other}&cursor=${body.next}`))
      assert.deepEqual([status, code], [400, 'invalid-field'], other)
    }
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [digest] = JSON.parse(Buffer.from(body.next, 'base64url').toString())
    const wrong = [[], [digest], [digest, 1, 2], {}, [digest, 'a', '\0']].map(forged)
    for (const cursor of ['x', 'AAAA', ...wrong]) {
      assert.equal((await get(`?cursor=${cursor}`)).status, 400, cursor)
    }
    for (const text of ['x', '1e400', '-1', `${'9'.repeat(15)}`]) {
      assert.equal((await get(`?cursor=${forged([digest, text, 'z'])}`)).status, 200, text)
    }
  })

  test('Guarantee: devices of other brands do not affect any answer: its rows, its cursors, or the number of rows read', async () => {
    const token = await managerToken(service, 'viewer best')
    const answers = async () => {
      const queries = [
        ...['', '?sort=serial', '?status=pending', '?quarantined=true', '?q=A', '?q=-00', '?q=AZ-&limit=3'],
        ...[
          '?without_session=true&limit=3',
          '?past_address=192.0.2.77&limit=3',
          '?brand=acme',
          '?brand=best',
        ],
        ...['?sort=-seen', '?sort=seen&limit=3', '?sort=-evidence', '?evidence=true', '?never_seen=true'],
        ...['?address=192.0.2.0/24&limit=3', '?seen_since=2026-01-02T00:00:00Z'],
      ]
      const bodies = await Promise.all(
        queries.map(async (query) => (await manage(service, token, 'GET', '/devices', { query })).body),
      )
      return JSON.stringify(bodies)
    }
    const before = await answers()
    assert.ok(!before.includes('"acme"'))
    const { query } = service.installation.database
    const others = { registered_at: START + 5 * HOUR, quarantined_at: 1, serial: 'AZ' }
    await query
      .updateTable('device')
      .set(others)
      .where('brand_id', '<>', 'best')
      .where('status', '=', 'pending')
      .execute()
    await query
      .updateTable('device_activity')
      .set({ last_seen_at: START + 24 * HOUR, evidence_at: START, address: '192.0.2.9' })
      .where('brand_id', '<>', 'best')
      .execute()
    assert.equal(await answers(), before)
  })

  test('refuses invalid filters', async () => {
    const token = await managerToken(service, 'operator')
    for (const query of [
      ...['?decided_by=%00', '?decided_by=a%00b', '?decided_by=%EF%BF%BD'],
      ...['?status=asleep', '?sort=colour', '?model=acme', '?brand=a%20b', '?quarantined=yes'],
      ...['?registered_since=yesterday', '?registered_since=2026-02-30T00:00:00Z'],
      ...['?name=x', '?name=acme-brand/acme-classic/c%00d'],
      ...['model=acme-brand/acme-gadget', 'serial=B', `key=${'k'.repeat(64)}`].map(
        (other) => `?name=acme-brand/acme-classic/A&${other}`,
      ),
      ...['?serial=%00', `?q=${'x'.repeat(129)}`, '?unknown=1', '?sort=-serial', '?evidence_kind=twins'],
      ...['?address=192.0.2.0/33', '?address=example.org', '?address=1.2.3', '?past_address=192.0.2.0/24'],
      ...['?never_seen=maybe', '?without_session=maybe', '?session_since=yesterday'],
      '?seen_until=2026-13-01T00:00:00Z',
    ]) {
      assert.equal((await manage(service, token, 'GET', '/devices', { query })).status, 400, query)
    }
  })
})
