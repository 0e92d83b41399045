/** Tests devices in the management API: reads and decisions, within the brands of a role. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import { eachDatabase } from '../support/databases.ts'
import { freshDeviceKeys, register, withAcme } from '../support/devices.ts'
import { manage, managerToken } from '../support/managers.ts'
import { refusalOf, testService } from '../support/service.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let approver: string
  let manager: string
  let viewer: string
  /** The token of a role for another brand. */
  let stranger: string
  let keys: Awaited<ReturnType<typeof freshDeviceKeys>>

  before(async () => {
    await withAcme({ ...service.installation, clock: service.now }, { registration: 'approval' })
    keys = await freshDeviceKeys(12)
    const tokenFor = async (role: string) => managerToken(service, role)
    approver = await tokenFor('device-approver acme-brand')
    manager = await tokenFor('brand-manager acme-brand')
    viewer = await tokenFor('viewer acme-brand')
    stranger = await tokenFor('brand-manager other-brand')
  })

  let serials = 0
  const waiting = async () => {
    const key = [...keys][serials] ?? assert.fail('no key left')
    const serial = `MA-${++serials}`
    assert.equal((await register(service, { key, serial })).status, 202)
    const device = await service.installation.devices.list({ deviceKeyId: key.publicKey.id, limit: 1 })
    return { id: device[0]?.id ?? assert.fail('it does not wait'), serial }
  }
  const read = async (id: string) => {
    const { status, body, headers } = await manage(service, viewer, 'GET', `/devices/${id}`)
    assert.equal(status, 200)
    return { device: body, etag: headers.get('etag') ?? assert.fail('no ETag') }
  }
  const entriesAbout = (subject: string) => service.installation.audit.list({ subject }, { limit: 10 })

  test('approves a waiting device once, in the name of the account, with its source', async () => {
    const { id, serial } = await waiting()
    const approved = await manage(service, approver, 'POST', `/devices/${id}/approve`)
    assert.deepEqual([approved.status, approved.body.status, approved.body.serial], [200, 'active', serial])
    const again = await manage(service, approver, 'POST', `/devices/${id}/approve`)
    assert.deepEqual([again.status, again.body], [200, approved.body])
    const [entry, ...more] = (await entriesAbout(id)).filter(({ action }) => action === 'device.approve')
    assert.deepEqual(more, [])
    assert.match(entry?.actor ?? '', /^account:person-/)
    assert.equal(`account:${approved.body.decided_by}`, entry?.actor)
    const { via, session, role, request } = JSON.parse(entry?.details ?? '')
    assert.deepEqual([via, role], ['api', 'device-approver'])
    assert.match(`${session} ${request}`, /^[0-9a-f-]{36} \S+$/)
  })

  test('a different decision is a conflict that names the first; a rejection requires a reason of one line', async () => {
    const { id } = await waiting()
    const rejected = await manage(service, approver, 'POST', `/devices/${id}/reject`, {
      body: { reason: 'Not one of ours' },
    })
    assert.deepEqual([rejected.status, rejected.body.reason], [200, 'Not one of ours'])
    const revoking = await manage(service, manager, 'POST', `/devices/${id}/revoke`)
    assert.deepEqual([revoking.status, refusalOf(revoking).code], [409, 'state-conflict'])
    const { extra } = revoking.body.error_list[0]
    assert.deepEqual([extra.status, extra.decided_by], ['rejected', rejected.body.decided_by])
    for (const body of [{}, { reason: '' }, { reason: 'a\nb' }, { reason: 'x', more: 1 }]) {
      const { status } = await manage(service, approver, 'POST', `/devices/${id}/reject`, { body })
      assert.equal(status, 400, JSON.stringify(body))
    }
  })

  test('each role can do what it allows: see, decide, manage', async () => {
    const { id } = await waiting()
    const refused = await manage(service, viewer, 'POST', `/devices/${id}/approve`)
    const { status, code, message } = refusalOf(refused)
    assert.deepEqual([status, code], [403, 'permission-denied'])
    assert.match(message, /devices:decide for the brand acme-brand.*device-approver, brand-manager, operator/)
    assert.deepEqual(refused.body.error_list[0].extra, { needs: 'devices:decide', brand: 'acme-brand' })
    assert.equal((await manage(service, approver, 'POST', `/devices/${id}/approve`)).status, 200)
    const { code: denied } = refusalOf(await manage(service, approver, 'POST', `/devices/${id}/revoke`))
    assert.equal(denied, 'permission-denied')
    const revoked = await manage(service, manager, 'POST', `/devices/${id}/revoke`, {
      body: { reason: 'stolen' },
    })
    assert.deepEqual([revoked.status, revoked.body.status], [200, 'revoked'])
    assert.equal((await manage(service, manager, 'POST', `/devices/${id}/revoke`)).body.reason, 'stolen')
  })

  test('releases a device from quarantine once', async () => {
    const { id } = await waiting()
    await manage(service, approver, 'POST', `/devices/${id}/approve`)
    const device = await service.installation.devices.findById((await read(id)).device.id)
    assert.ok(device)
    await service.installation.devices.setQuarantine(device, service.now())
    assert.notEqual((await read(id)).device.quarantined_at, null)
    const released = await manage(service, manager, 'POST', `/devices/${id}/release`)
    assert.deepEqual([released.status, released.body.quarantined_at], [200, null])
    assert.equal((await manage(service, manager, 'POST', `/devices/${id}/release`)).status, 200)
    const released2 = (await entriesAbout(id)).filter(({ action }) => action === 'device.release')
    assert.equal(released2.length, 1)
  })

  test('Guarantee: a device of another brand answers exactly as one that does not exist', async () => {
    const { id } = await waiting()
    const { etag } = await read(id)
    const unknown = newDeviceId(new Date())
    const paths = ['', '/sessions', '/registrations', '/assertions', '/evidence', '/history']
    const asked = [
      ...paths.map((path) => ['GET', path, {}] as const),
      ...['approve', 'revoke', 'release'].map((verb) => ['POST', `/${verb}`, { body: {} }] as const),
      ['POST', '/reject', { body: { reason: 'no' } }] as const,
      ['POST', '/approve', { body: {}, headers: { 'if-match': etag } }] as const,
      ['POST', '/approve', { query: '?dry_run=true', body: {} }] as const,
    ]
    for (const [method, path, asking] of asked) {
      const answers = await Promise.all(
        [id, unknown].map((one) => manage(service, stranger, method, `/devices/${one}${path}`, asking)),
      )
      const seen = answers.map(({ status, headers, body }, index) => [
        status,
        [...headers].filter(([name]) => !['date', 'content-length'].includes(name)),
        JSON.stringify(body).replaceAll(index === 0 ? id : unknown, 'ID'),
      ])
      assert.deepEqual(seen[0], seen[1], `${method} ${path}`)
      assert.equal(seen[0]?.[0], 404)
    }
    assert.equal((await read(id)).device.status, 'pending')
  })

  test('refuses a decision about a changed device; does not send a known record again', async () => {
    const { id } = await waiting()
    const { etag } = await read(id)
    const ifNoneMatch = { headers: { 'if-none-match': etag } }
    assert.equal((await manage(service, viewer, 'GET', `/devices/${id}`, ifNoneMatch)).status, 304)
    const ifMatch = { headers: { 'if-match': etag } }
    const approved = await manage(service, approver, 'POST', `/devices/${id}/approve`, ifMatch)
    assert.equal(approved.status, 200)
    const late = await manage(service, manager, 'POST', `/devices/${id}/revoke`, ifMatch)
    assert.deepEqual([late.status, refusalOf(late).code], [412, 'version-mismatch'])
    const now = late.body.error_list[0].extra.etag
    assert.equal(now, (await read(id)).etag)
    const seen = { headers: { 'if-match': `"x", ${now}` } }
    assert.equal((await manage(service, manager, 'POST', `/devices/${id}/revoke`, seen)).status, 200)
    const weak = { headers: { 'if-match': `W/${now}` } }
    assert.equal((await manage(service, manager, 'POST', `/devices/${id}/revoke`, weak)).status, 412)
    const bad = { headers: { 'if-match': 'no quotes' } }
    assert.equal((await manage(service, manager, 'POST', `/devices/${id}/revoke`, bad)).status, 400)
  })

  test('a dry run answers as the change would, and leaves no trace', async () => {
    const { id, serial } = await waiting()
    const dry = { query: '?dry_run=true' }
    const before = await read(id)
    const approved = await manage(service, approver, 'POST', `/devices/${id}/approve`, dry)
    assert.deepEqual(
      [approved.status, approved.body.status, approved.body.serial, approved.headers.get('ratafia-dry-run')],
      [200, 'active', serial, 'true'],
    )
    const rejected = await manage(service, approver, 'POST', `/devices/${id}/reject`, {
      ...dry,
      body: { reason: 'no' },
    })
    assert.deepEqual([rejected.status, rejected.body.status], [200, 'rejected'])
    assert.equal((await manage(service, manager, 'POST', `/devices/${id}/revoke`, dry)).status, 409)
    assert.deepEqual(await read(id), before)
    assert.deepEqual(
      (await entriesAbout(id)).map(({ action }) => action),
      ['device.wait'],
    )
  })

  test('a request repeated with its Idempotency-Key gets the first answer', async () => {
    const { id } = await waiting()
    const headers = { 'idempotency-key': randomUUID() }
    const reason = { body: { reason: 'twice' }, headers }
    const first = await manage(service, approver, 'POST', `/devices/${id}/reject`, reason)
    assert.equal((await manage(service, approver, 'POST', `/devices/${id}/approve`)).status, 200)
    const again = await manage(service, approver, 'POST', `/devices/${id}/reject`, reason)
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.deepEqual(
      [first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')],
      [null, 'true'],
    )
    assert.equal(again.headers.get('etag'), first.headers.get('etag'))
    const other = { body: { reason: 'another' }, headers }
    const { code } = refusalOf(await manage(service, approver, 'POST', `/devices/${id}/reject`, other))
    assert.equal(code, 'idempotency-key-reused')
    // Each account has its own keys.
    const { status } = await manage(service, manager, 'POST', `/devices/${id}/reject`, other)
    assert.equal(status, 409)
    const { query } = service.installation.database
    const rows = await query.selectFrom('idempotent_request').selectAll().execute()
    assert.ok(!Buffer.concat(rows.map(({ sealed }) => Buffer.from(sealed ?? []))).includes('twice'))
    assert.ok(!JSON.stringify(rows).includes(headers['idempotency-key']))
    for (const key of ['short', 'a key with spaces in it', 'x'.repeat(65)]) {
      const asking = { headers: { 'idempotency-key': key } }
      assert.equal(
        (await manage(service, approver, 'POST', `/devices/${id}/approve`, asking)).status,
        400,
        key,
      )
    }
  })

  test('refuses unknown parameters and fields, and missing methods', async () => {
    const { id } = await waiting()
    const { status, code, message } = refusalOf(
      await manage(service, viewer, 'GET', `/devices/${id}/sessions`, { query: '?limit=5&colour=red' }),
    )
    assert.deepEqual([status, code], [400, 'invalid-request'], message)
    for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?limit=1&limit=2', '?limit=01']) {
      const answer = await manage(service, viewer, 'GET', `/devices/${id}/sessions`, { query })
      assert.equal(answer.status, 400, query)
    }
    const answer = await manage(service, viewer, 'PATCH', `/devices/${id}`, { body: {} })
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'])
  })
})
