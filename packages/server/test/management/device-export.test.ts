/** Tests exports of devices: complete, in bounded memory, and only of brands that the caller can see. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { DeviceId } from '@ratafia/api'
import { MANAGEMENT_PREFIX } from '@ratafia/api/schemas'
import { bucketOf } from '../../src/bucket.ts'
import type { Device } from '../../src/devices/device.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { plainCell } from '../../src/files/csv-shape.ts'
import { readImportRows } from '../../src/files/import-rows.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { manage, managerToken } from '../support/managers.ts'
import { addDevices } from '../support/register.ts'
import { bearing, refusalOf, testService } from '../support/service.ts'

/** More than two pages. */
const DEVICES = 2500
const REASONS = [null, '=cmd()', '-1+1', '@here', '+49', "'quoted", 'stolen, "twice"']

const register: readonly Device[] = Array.from({ length: DEVICES }, (_, index) => {
  const deviceKeyId = `${['-', '_', 'A'][index % 3]}${String(index).padStart(63, 'k')}`
  return {
    ...newDevice({
      ...{ brandId: index % 5 === 0 ? 'other' : 'acme', model: 'mini', deviceKeyId, origin: 'import' },
      ...{ original: null, registeredAt: new Date(index * 1000) },
    }),
    id: `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}` as DeviceId,
    bucket: bucketOf(deviceKeyId),
    ...{ status: 'revoked' as const, serial: `S-${index}`, reason: REASONS[index % REASONS.length] ?? null },
  }
})

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let token: string

  before(async () => {
    await addDevices(service, register)
    token = await managerToken(service, 'viewer acme')
  })
  const fetched = (query: string, headers: Record<string, string> = {}, of = token) =>
    fetch(`${service.baseUrl}${MANAGEMENT_PREFIX}/devices/export${query}`, {
      headers: { ...bearing(of), ...headers },
    })
  const ids = (text: string): readonly string[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id)
  const own = register.filter(({ brandId }) => brandId === 'acme')

  test('exports every matching device once and in order, as lists show it', async () => {
    const answer = await fetched('?sort=registered')
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.headers.get('content-length')],
      [200, 'application/x-ndjson', null],
    )
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="devices.ndjson"')
    const text = await answer.text()
    assert.deepEqual(
      ids(text),
      own.map(({ id }) => id),
    )
    const listed = await manage(service, token, 'GET', '/devices', { query: '?sort=registered&limit=1000' })
    const lines = text.split('\n').slice(0, 1000)
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      listed.body.devices,
    )
    const some = await (await fetched('?serial_prefix=S-1&sort=serial')).text()
    const fitting = own.filter(({ serial }) => serial.startsWith('S-1'))
    assert.deepEqual(new Set(ids(some)), new Set(fitting.map(({ id }) => id)))
  })

  test('CSV guards strings and keys that begin like a formula; the import removes the guard', async () => {
    const text = await (await fetched('?format=csv&sort=registered')).text()
    const [head, ...lines] = text.trimEnd().split('\n')
    assert.match(
      head ?? '',
      /^id,brand_id,model,serial,device_key_id,.*,last_seen_at,last_address,evidence_at$/,
    )
    assert.equal(lines.length, own.length)
    assert.ok(text.includes(",'=cmd(),") && text.includes(",'-1+1,") && text.includes(",'@here,"))
    const keys = new Set(own.map(({ deviceKeyId }) => deviceKeyId))
    assert.ok(lines.every((line) => keys.has(plainCell(line.split(',')[4] ?? ''))))
    const rows = readImportRows(text, { format: 'csv', columns: ['id', 'reason'], need: 'all' })
    assert.deepEqual(
      rows.map(({ fields }) => [fields['id'], plainCell(String(fields['reason'])) || null]),
      own.map(({ id, reason }) => [id, reason]),
    )
  })

  test('compresses on request', async () => {
    const body = await new Promise<Buffer>((resolve, reject) => {
      const headers = { ...bearing(token), 'accept-encoding': 'br, gzip;q=0.5' }
      get(`${service.baseUrl}${MANAGEMENT_PREFIX}/devices/export`, { headers }, (answer) => {
        assert.equal(answer.headers['content-encoding'], 'gzip')
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('end', () => resolve(Buffer.concat(chunks)))
      }).on('error', reject)
    })
    assert.equal(ids(gunzipSync(body).toString()).length, own.length)
    const plain = await fetched('?serial=S-1', { 'accept-encoding': 'gzip;q=0' })
    assert.equal(plain.headers.get('content-encoding'), null)
    await plain.text()
  })

  test('records an export in the audit log, with its author and filters', async () => {
    await (await fetched('?format=csv&status=revoked&status=active&serial=S-2')).text()
    const [entry] = await service.installation.audit.list({}, { limit: 1 })
    assert.deepEqual([entry?.action, entry?.subject], ['devices.export', 'devices'])
    assert.match(entry?.actor ?? '', /^account:person-/)
    const { format, status, serial, via } = JSON.parse(entry?.details ?? '')
    assert.deepEqual([format, status, serial, via], ['csv', 'revoked,active', 'S-2', 'api'])
  })

  test('Guarantee: a file has nothing that its caller cannot see, and others get no file', async () => {
    const stranger = await managerToken(service, 'viewer unknown')
    const nothing = await fetched('?brand=acme', {}, stranger)
    assert.deepEqual([nothing.status, await nothing.text()], [200, ''])
    const approving = await managerToken(service, 'account-manager')
    const denied = refusalOf(await manage(service, approving, 'GET', '/devices/export'))
    assert.deepEqual([denied.status, denied.code], [403, 'permission-denied'])
    const { status } = await fetch(`${service.baseUrl}${MANAGEMENT_PREFIX}/devices/export`)
    assert.equal(status, 401)
    for (const query of ['?format=xml', '?limit=5', '?colour=red']) {
      assert.equal((await manage(service, token, 'GET', '/devices/export', { query })).status, 400, query)
    }
  })

  test('an account can run two exports at a time; one that breaks off frees a place', async () => {
    const { deviceLists } = service.installation
    const { fitting } = deviceLists
    const busy = await managerToken(service, 'operator')
    const gates: (() => void)[] = []
    // Each waits before its second page.
    Object.assign(deviceLists, {
      async fitting(...[stretch, bounds]: Parameters<typeof fitting>) {
        if (stretch.after) await new Promise<void>((resolve) => gates.push(resolve))
        return fitting(stretch, bounds)
      },
    })
    try {
      const stopping = new AbortController()
      const url = `${service.baseUrl}${MANAGEMENT_PREFIX}/devices/export`
      const [first, second] = await Promise.all(
        [stopping.signal, undefined].map((signal) =>
          fetch(url, { headers: bearing(busy), ...(signal && { signal }) }),
        ),
      )
      assert.ok(first && second)
      const third = await fetch(url, { headers: bearing(busy) })
      assert.deepEqual([third.status, third.headers.get('retry-after')], [429, '5'])
      // The export of another account does not wait for these.
      assert.equal((await fetched('?serial=S-1')).status, 200)
      stopping.abort()
      Object.assign(deviceLists, { fitting })
      for (const open of gates) open()
      await eventually('a place is free', async () => {
        const next = await fetch(url, { headers: bearing(busy) })
        await next.text()
        return next.status === 200
      })
      assert.equal(ids(await second.text()).length, DEVICES)
    } finally {
      Object.assign(deviceLists, { fitting })
      for (const open of gates) open()
    }
  })

  test('a page that fails breaks the transfer: a part never looks like a whole file', async () => {
    const { deviceLists } = service.installation
    const { fitting } = deviceLists
    let begun = Promise.withResolvers<void>()
    Object.assign(deviceLists, {
      async fitting(...[stretch, bounds]: Parameters<typeof fitting>) {
        if (stretch.after) {
          // Only once the client has the beginning: an answer that has not begun is refused.
          await begun.promise
          throw new Error('the database is away')
        }
        return fitting(stretch, bounds)
      },
    })
    try {
      for (const encoding of ['identity', 'gzip']) {
        begun = Promise.withResolvers()
        const answer = await fetched('', { 'accept-encoding': encoding })
        begun.resolve()
        assert.equal(answer.status, 200)
        await assert.rejects(answer.text(), encoding)
      }
    } finally {
      Object.assign(deviceLists, { fitting })
    }
  })
})
