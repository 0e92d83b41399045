/** The device page in the console, and decisions about the device. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import type { Device } from '../../src/devices/device.ts'
import { type ConsoleBrowser, consoleAs, textOf } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { freshDeviceKeys, register, withAcme } from '../support/devices.ts'
import { addDevice, addSession } from '../support/register.ts'
import { testService } from '../support/service.ts'

const DAY_MS = 86_400_000
const pathOf = ({ id }: Pick<Device, 'id'>, verb?: string) =>
  `/console/devices/${id}${verb === undefined ? '' : `/${verb}`}`

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator: ConsoleBrowser
  let approver: ConsoleBrowser
  let viewer: ConsoleBrowser
  /** A user with a role for another brand. */
  let stranger: ConsoleBrowser
  let keys: Awaited<ReturnType<typeof freshDeviceKeys>>

  before(async () => {
    await withAcme({ ...service.installation, clock: service.now }, { registration: 'approval' })
    keys = await freshDeviceKeys(8)
    const as = async (role: string) => consoleAs(service, role)
    operator = await as('operator')
    approver = await as('device-approver acme-brand')
    viewer = await as('viewer acme-brand')
    stranger = await as('brand-manager other-brand')
  })

  let serials = 0
  const waiting = async (serial = `C-${++serials}`): Promise<Device> => {
    const key = keys[serials] ?? assert.fail('no key left')
    assert.equal((await register(service, { key, serial })).status, 202)
    const [device] = await service.installation.devices.list({ deviceKeyId: key.publicKey.id, limit: 1 })
    return device ?? assert.fail('it is not pending')
  }
  const now = async ({ id }: Device) =>
    (await service.installation.devices.findById(id)) ?? assert.fail('it no longer exists')
  const entries = async ({ id }: Device, action: string) =>
    (await service.installation.audit.list({ subject: id }, { limit: 20 })).filter(
      (entry) => entry.action === action,
    )

  describe('approval', () => {
    test('one button approves a pending device, which gets its serial once', async () => {
      const device = await waiting()
      const page = await approver.get(pathOf(device))
      assert.equal(page.status, 200)
      assert.match(
        textOf(page),
        new RegExp(`This device is pending: approve or reject it. It proposes the serial ${device.serial}`),
      )
      const answers = await Promise.all([
        approver.submit(page, pathOf(device, 'approve')),
        approver.submit(page, pathOf(device, 'approve')),
      ])
      // One of two simultaneous requests may have to wait for the other.
      assert.ok(answers.some(({ location }) => location === pathOf(device)))
      assert.equal((await now(device)).status, 'active')
      assert.equal((await entries(device, 'device.approve')).length, 1)
      const [entry] = await entries(device, 'device.approve')
      assert.match(entry?.details ?? '', /"via":"console"/)
      const done = await approver.open(pathOf(device))
      assert.match(textOf(done), new RegExp(`● active.*Device ${device.serial} approved`))
      assert.doesNotMatch(done.text, /name="serial"/)
    })

    test('approves with a different serial, and refuses an invalid one at its field', async () => {
      const device = await waiting()
      const page = await approver.get(pathOf(device))
      const bad = await approver.submit(page, pathOf(device, 'approve'), { serial: 'a b/"<c>' })
      assert.equal(bad.status, 422)
      assert.match(bad.text, /<title>Error: /)
      assert.match(bad.text, /value="a b\/&quot;&lt;c&gt;"/)
      assert.equal((await now(device)).status, 'pending')
      const good = await approver.submit(bad, pathOf(device, 'approve'), { serial: 'OTHER-1' })
      assert.equal(good.status, 303)
      assert.equal((await now(device)).serial, 'OTHER-1')
    })

    test('Guarantee: an approval applies to the version that the user saw', async () => {
      const device = await waiting()
      const page = await approver.get(pathOf(device, 'approve'))
      const rejected = await operator.fill(pathOf(device, 'reject'), { reason: 'Not <ours>' })
      assert.equal(rejected.location, pathOf(device))
      const late = await approver.submit(page, pathOf(device, 'approve'))
      assert.equal(late.status, 422)
      assert.match(textOf(late), /has changed since you read it/)
      assert.equal((await now(device)).status, 'rejected')
      const unseen = await approver.submit(late, pathOf(device, 'approve'), { seen: [] })
      assert.equal(unseen.status, 422)
      assert.equal((await now(device)).status, 'rejected')
      // The page shows the current version, which the user can decide about.
      assert.equal((await approver.submit(late, pathOf(device, 'approve'))).status, 303)
      assert.equal((await now(device)).status, 'active')
    })

    test('a rejection requires a reason of one line', async () => {
      const device = await waiting()
      const page = await approver.get(pathOf(device, 'reject'))
      for (const reason of ['', 'x'.repeat(201)]) {
        const refused = await approver.submit(page, pathOf(device, 'reject'), { reason })
        assert.equal(refused.status, 422, reason)
        assert.match(refused.text, /href="#f-reason"/)
      }
      assert.equal((await now(device)).status, 'pending')
      await approver.submit(page, pathOf(device, 'reject'), { reason: 'Not one of <b>ours</b>' })
      const shown = await approver.open(pathOf(device))
      assert.match(shown.text, /Not one of &lt;b&gt;ours&lt;\/b&gt;/)
      assert.match(textOf(shown), /rejected, and gets the reason/)
    })
  })

  describe('quarantine and revocation', () => {
    const cloned = async () => {
      const at = service.now()
      const device = await addDevice(service, { serial: `Q-${++serials}`, quarantinedAt: at })
      const chain = await addSession(service, device, { at: new Date(at.getTime() - 13 * DAY_MS) })
      const other = await addSession(service, device, {
        ...{ at: new Date(at.getTime() - 5 * DAY_MS), userAgent: '<img src=x onerror=alert(1)>' },
        address: '203.0.113.9',
      })
      for (const days of [12, 9, 4, 2, 0.1])
        await addSession(service, device, { at: new Date(at.getTime() - days * DAY_MS), chain })
      await addSession(service, device, { at: new Date(at.getTime() - 1 * DAY_MS), chain: other })
      await service.installation.clones.record({
        ...{ deviceId: device.id, bucket: device.bucket, kind: 'two-chains', subject: other, at },
        details: { address: '203.0.113.9"><script>' },
      })
      return { device, chain, other }
    }

    test('the page explains the quarantine, and shows both chains as a picture, as text and as a table', async () => {
      const { device, chain, other } = await cloned()
      const page = await operator.get(pathOf(device))
      assert.equal(page.status, 200)
      const text = textOf(page)
      assert.match(
        text,
        /It cannot open a session until you decide\. Two devices use this key: one session was renewed/,
      )
      assert.match(text, /two active chains/)
      const [svg = ''] = /<svg viewBox[^>]*role="img"[\s\S]*?<\/svg>/.exec(page.text) ?? []
      assert.match(svg, /aria-label="Sessions of 2 chains over time, from [^"]*6 sessions[^"]*2 sessions/)
      assert.equal(svg.match(/<path class="s[12]"/g)?.length, 2)
      assert.match(page.text, /<summary>As a table<\/summary>/)
      assert.match(page.text, new RegExp(`${chain.slice(0, 13)}[\\s\\S]*${other.slice(0, 13)}`))
      assert.doesNotMatch(page.text, /<img|"><script>/)
      assert.doesNotMatch(page.text, /<[^>]*\s(style|on[a-z]+)=/)
    })

    test('one button releases a device', async () => {
      const { device } = await cloned()
      assert.equal((await operator.fill(pathOf(device, 'release'))).location, pathOf(device))
      assert.equal((await now(device)).quarantinedAt, null)
      assert.equal((await entries(device, 'device.release')).length, 1)
      const again = await operator.get(pathOf(device, 'release'))
      assert.match(textOf(again), /not possible any more: the device is active/)
    })

    test('a decision that is not possible any more shows the current state of the device', async () => {
      for (const [known, verb, says] of [
        [{ quarantinedAt: service.now() }, 'approve', 'is quarantined'],
        [{ status: 'pending' }, 'revoke', 'is pending'],
        [{ status: 'revoked' }, 'release', 'is revoked'],
      ] as const) {
        const device = await addDevice(service, { serial: `N-${++serials}`, ...known })
        const page = await operator.get(pathOf(device, verb))
        assert.match(textOf(page), new RegExp(`not possible any more: the device ${says}\\.`))
        assert.doesNotMatch(page.text, new RegExp(`action="[^"]*/${verb}"`))
      }
    })

    test('Guarantee: a device is revoked only after its serial was typed', async () => {
      const { device } = await cloned()
      const page = await operator.get(pathOf(device, 'revoke'))
      assert.match(
        textOf(page),
        /This permanently revokes the device and its 1 active session, within a second\..*Type Q-/,
      )
      for (const typed of ['', 'q-1', `${device.serial}x`]) {
        const refused = await operator.submit(page, pathOf(device, 'revoke'), { typed, reason: 'stolen' })
        assert.equal(refused.status, 422, typed)
        assert.match(refused.text, /value="stolen"/)
        assert.equal((await now(device)).status, 'active')
      }
      const done = await operator.submit(page, pathOf(device, 'revoke'), {
        ...{ typed: device.serial, reason: 'stolen' },
      })
      assert.equal(done.location, pathOf(device))
      const { status, reason } = await now(device)
      assert.deepEqual([status, reason], ['revoked', 'stolen'])
      assert.match(textOf(await operator.open(pathOf(device))), /✕ revoked.*stolen/)
    })

    test('a serial that users cannot type is confirmed by the id', async () => {
      const device = await addDevice(service, { serial: 'two\u00a0words' })
      const page = await operator.get(pathOf(device, 'revoke'))
      assert.match(textOf(page), new RegExp(`Type ${device.id} to confirm`))
      await operator.submit(page, pathOf(device, 'revoke'), { typed: device.id })
      assert.equal((await now(device)).status, 'revoked')
    })

    test('shows where a device first registered from while that is known, and its API key', async () => {
      const device = await addDevice(service, { serial: `R-${++serials}` })
      const asked = async (count: number) => {
        const rows = Array.from({ length: count }, (_, index) => ({
          ...{ request_id_hash: randomBytes(32), request_hash: randomBytes(32) },
          ...{ device_id: device.id, bucket: device.bucket, user_agent: 'snapd/2.77' },
          ...{ registered_at: service.now().getTime() + index, address: `192.0.2.${index + 1}` },
        }))
        await service.installation.database.query.insertInto('device_registration').values(rows).execute()
      }
      const key = newDeviceId(new Date())
      await service.installation.changeBy({ actor: 'service', source: '192.0.2.1' })(({ record }) =>
        record({
          action: 'device.register',
          subject: device.id,
          details: { 'api-key': key, 'ignored-serial': 'None' },
        }),
      )
      await asked(2)
      const first = textOf(await viewer.get(pathOf(device)))
      assert.match(first, /Registered from 192\.0\.2\.1 .*2 requests/)
      assert.match(first, new RegExp(`serial issued · service · with the API key ${key}`))
      assert.match(
        first,
        /its firmware proposed “None”, which is not a serial number, so the service generated one/,
      )
      await asked(20)
      const later = textOf(await viewer.get(pathOf(device)))
      assert.match(later, /the last 20 requests/)
      assert.doesNotMatch(later, / Registered from 192/)
    })

    test('links to older sessions', async () => {
      const device = await addDevice(service, { serial: `S-${++serials}` })
      for (let hour = 0; hour < 25; hour++)
        await addSession(service, device, { at: new Date(service.now().getTime() - hour * 3_600_000) })
      const count = (text: string) => text.match(/snapd\/2\.77/g)?.length
      const page = await viewer.get(pathOf(device))
      assert.equal(count(page.text), 20)
      const [, older = ''] = /href="([^"]*\?sessions=[0-9]+)"/.exec(page.text) ?? []
      assert.equal(count((await viewer.get(older)).text), 25)
      assert.equal((await viewer.get(`${pathOf(device)}?sessions=x`)).status, 400)
    })
  })

  describe('permissions', () => {
    let device: Device
    before(async () => {
      device = await addDevice(service, { serial: 'W-1', quarantinedAt: service.now() })
    })

    test('a device-approver can decide about pending devices, but not release or revoke', async () => {
      const page = await approver.get(pathOf(device))
      assert.doesNotMatch(page.text, /\/(revoke|release)"/)
      assert.equal((await approver.get(pathOf(device, 'revoke'))).status, 403)
    })

    test('Guarantee: a device of another brand looks as if it did not exist', async () => {
      for (const verb of [undefined, 'revoke', 'release']) {
        const theirs = await stranger.get(pathOf(device, verb))
        const none = await stranger.get(pathOf({ id: newDeviceId(new Date()) }, verb))
        assert.deepEqual([theirs.status, none.status], [404, 404])
        const same = ({ text }: typeof none) =>
          text.replaceAll(/[0-9a-f-]{36}/g, 'ID').replaceAll(/"[\w.-]{22,}"/g, '""')
        assert.equal(same(theirs), same(none))
      }
    })
  })
})
