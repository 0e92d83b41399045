/** Tests when devices were last seen: what a node stores in the background, as other nodes show it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importDevices } from '../support/as-operator.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  freshDeviceKeys,
  register,
  registered,
  sessionOf,
  setAcmePolicy,
  withAcme,
} from '../support/devices.ts'
import { assertMissing, manage, managerToken } from '../support/managers.ts'
import { onNode, startNode, type TestNode } from '../support/nodes.ts'

eachDatabase((_kind, _open, fresh) => {
  let node: TestNode
  let token: string
  before(async () => {
    node = await startNode(await fresh.target())
    await withAcme(node.installation)
    token = await managerToken(node, 'viewer acme-brand')
  })
  after(() => node.close())
  const get = async (path: string, query = '') => {
    const { status, body, headers } = await manage(node, token, 'GET', path, { query })
    assert.equal(status, 200, JSON.stringify(body))
    return { body, etag: headers.get('etag') }
  }
  const one = async (query: string) => (await get('/devices', query)).body.devices

  const onAnother = <T>(work: (other: TestNode) => Promise<T>): Promise<T> => onNode(fresh, work)

  test('a device is seen when it registers, or opens or refreshes a session', async () => {
    const [key] = await freshDeviceKeys(1)
    assert.ok(key)
    const serial = await onAnother((other) => registered(other, { key, serial: 'SEEN-1' }))
    const [first] = await one('?serial=SEEN-1')
    assert.deepEqual([first.last_seen_at, first.last_address], [first.registered_at, '127.0.0.1'])
    assert.deepEqual(await one('?serial=SEEN-1&never_seen=true'), [])
    const before = await get(`/devices/${first.id}`)
    const session = await onAnother((other) => sessionOf(other, { key, serial }))
    const [second] = await one('?sort=-seen&serial=SEEN-1&address=127.0.0.0/8')
    assert.ok(second.last_seen_at > first.last_seen_at)
    await onAnother((other) => sessionOf(other, { key, serial, previous: session }))
    const [third] = await one('?serial=SEEN-1')
    assert.ok(third.last_seen_at > second.last_seen_at)
    assert.deepEqual(await one(`?serial=SEEN-1&seen_until=${third.last_seen_at}`), [])
    assert.deepEqual(await one(`?serial=SEEN-1&seen_since=${third.last_seen_at}`), [third])
    const { last_seen_at, last_address, evidence_at } = third
    const activity = await get(`/devices/${first.id}/activity`)
    assert.deepEqual(activity.body, { last_seen_at, last_address, evidence_at })
    // Deciding about a device does not require a new version of it after it opened a session.
    const now = await get(`/devices/${first.id}`)
    assert.deepEqual([now.etag, now.body], [before.etag, before.body])
  })

  test('shows a seen device at once, before a node has stored it', async () => {
    const [key] = await freshDeviceKeys(1)
    assert.ok(key)
    const serial = await registered(node, { key, serial: 'SEEN-0' })
    const [{ id, registered_at: registeredAt }] = await one('?serial=SEEN-0')
    const activity = async () => (await get(`/devices/${id}/activity`)).body
    assert.deepEqual(
      [(await activity()).last_seen_at, (await activity()).last_address],
      [registeredAt, '127.0.0.1'],
    )
    await sessionOf(node, { key, serial })
    const { sessions } = (await get(`/devices/${id}/sessions`)).body
    assert.equal((await activity()).last_seen_at, sessions[0].opened_at)
  })

  test('a waiting device was also seen; one whose serial another key requested has evidence', async () => {
    const [holder, other, waits] = await freshDeviceKeys(3)
    assert.ok(holder && other && waits)
    await onAnother(async (node) => {
      await registered(node, { key: holder, serial: 'SEEN-2' })
      assert.equal((await register(node, { key: other, serial: 'SEEN-2' })).status, 400)
      await setAcmePolicy(node.installation, { registration: 'approval' })
      assert.equal((await register(node, { key: waits, serial: 'SEEN-3' })).status, 202)
    })
    const [device] = await one('?evidence=true&sort=-evidence')
    assert.equal(device.serial, 'SEEN-2')
    assert.notEqual(device.evidence_at, null)
    const [waiting] = await one('?status=pending')
    assert.deepEqual([waiting.serial, waiting.last_seen_at], ['SEEN-3', waiting.registered_at])
    assert.deepEqual(
      (await one('?status=pending&evidence=false')).map(({ id }: { id: string }) => id),
      [waiting.id],
    )
  })

  test('a second chain of sessions, and an import, leave evidence that lists show', async () => {
    const [key] = await freshDeviceKeys(1)
    assert.ok(key)
    await setAcmePolicy(node.installation, { registration: 'auto' })
    await onAnother(async (other) => {
      const serial = await registered(other, { key, serial: 'SEEN-4' })
      await sessionOf(other, { key, serial })
      await sessionOf(other, { key, serial })
    })
    const [device] = await one('?evidence=true&serial=SEEN-4')
    assert.equal(device.evidence_at, device.last_seen_at)
    const evidence = [
      {
        ...{ kind: 'two-chains', subject: 'x', times: 1, details: {} },
        ...{ first_seen_at: '2026-01-01T00:00:00.000Z', last_seen_at: '2026-01-02T00:00:00.000Z' },
      },
    ]
    const row = {
      ...{ brand_id: 'acme-brand', model: 'acme-classic', serial: 'SEEN-5' },
      ...{ device_key_id: 'k'.repeat(64), clone_evidence: JSON.stringify(evidence) },
    }
    const source = {
      format: 'json' as const,
      open: async function* () {
        yield Buffer.from(JSON.stringify([row]))
      },
    }
    await importDevices({ source, unknownModels: true }, node.installation)
    const [imported] = await one('?evidence=true&serial=SEEN-5')
    assert.deepEqual([imported.evidence_at, imported.last_seen_at], ['2026-01-02T00:00:00.000Z', null])
    assert.equal((await one('?never_seen=true&serial=SEEN-5')).length, 1)
  })

  test('Guarantee: the activity of a device of another brand answers as that of a missing device', async () => {
    const stranger = await managerToken(node, 'viewer other-brand')
    const [device] = await one('?serial=SEEN-1')
    await assertMissing([device.id, '019a0000-0000-7000-8000-000000000000'], (id) =>
      manage(node, stranger, 'GET', `/devices/${id}/activity`),
    )
  })
})
