/** The list of devices in the console: filters, counts, selection, and empty lists. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import type { Device } from '../../src/devices/device.ts'
import { type ConsoleBrowser, consoleAs, textOf, unescaped } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addDevice, addDevices } from '../support/register.ts'
import { testService } from '../support/service.ts'

const DAY_MS = 86_400_000

/** Returns the serials of a list, in its order. */
const serialsIn = (text: string): readonly string[] =>
  [...text.matchAll(/<a class="mono" href="\/console\/devices\/[0-9a-f-]{36}">([^<]*)<\/a>/g)].map(
    ([, serial = '']) => unescaped(serial),
  )

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let operator: ConsoleBrowser
  let viewer: ConsoleBrowser
  const recount = () => recountDevices({ ...service.installation, goOn: async () => true })

  before(async () => {
    operator = await consoleAs(service, 'operator')
    viewer = await consoleAs(service, 'viewer acme-brand')
  })

  test('an empty list explains what it is for, and the first step', async () => {
    const page = await operator.get('/console/devices')
    assert.equal(page.status, 200)
    assert.match(textOf(page), /No devices yet\..*Import devices.*ratafia devices import/)
    const theirs = await viewer.get('/console/devices')
    assert.doesNotMatch(theirs.text, /console\/devices\/import/)
  })

  describe('with devices', () => {
    let wait: Device
    before(async () => {
      const ago = (days: number) => new Date(service.now().getTime() - days * DAY_MS)
      await addDevices(service, [
        { serial: 'AC-1', registeredAt: ago(40) },
        { serial: 'AC-2', model: 'acme-pi', registeredAt: ago(3), quarantinedAt: ago(1) },
        { serial: 'BE-3', brandId: 'best-brand', registeredAt: ago(2) },
        { serial: 'AC-4', status: 'revoked', registeredAt: ago(1), origin: 'registration' },
      ])
      wait = await addDevice(service, { serial: 'AC-5', status: 'pending' })
      await recount()
    })

    test('lists devices newest first, with counts that link to pending and quarantined devices', async () => {
      const page = await operator.get('/console/devices')
      assert.deepEqual(serialsIn(page.text), ['AC-5', 'AC-4', 'BE-3', 'AC-2', 'AC-1'])
      assert.match(textOf(page), /5 · 1 pending · 1 quarantined/)
      assert.match(textOf(page), /◌ pending.*✕ revoked.*● active.*▲ quarantined/)
    })

    for (const [query, serials] of [
      ['q=AC-', ['AC-5', 'AC-4', 'AC-2', 'AC-1']],
      ['q=&model=acme-brand%2Facme-pi&status=&seen=&sort=', ['AC-2']],
      ['status=pending', ['AC-5']],
      ['status=pending&status=revoked', ['AC-5', 'AC-4']],
      ['quarantined=true', ['AC-2']],
      ['origin=registration', ['AC-4']],
      ['sort=registered', ['AC-1', 'AC-2', 'BE-3', 'AC-4', 'AC-5']],
      ['sort=serial&brand=best-brand', ['BE-3']],
    ] as const) {
      test(`${query} shows ${serials.join(', ')}`, async () => {
        assert.deepEqual(serialsIn((await operator.get(`/console/devices?${query}`)).text), serials)
      })
    }

    test('a day in a filter means midnight UTC', async () => {
      const day = new Date(service.now().getTime() - 10 * DAY_MS).toISOString().slice(0, 10)
      const since = await operator.get(`/console/devices?registered_since=${day}`)
      assert.deepEqual(serialsIn(since.text), ['AC-5', 'AC-4', 'BE-3', 'AC-2'])
      const until = await operator.get(`/console/devices?registered_until=${day}`)
      assert.deepEqual(serialsIn(until.text), ['AC-1'])
      assert.match(until.text, new RegExp(`<details open>.*value="${day}"`, 's'))
    })

    test('the filter by last use counts days from midnight UTC', async () => {
      const { activities } = service.installation
      const saw = async (serial: string, days: number) => {
        const [{ id, bucket } = wait] = await service.installation.devices.findBySerial({
          ...{ brandId: 'acme-brand', model: serial === 'AC-2' ? 'acme-pi' : 'acme-classic', serial },
        })
        const at = new Date(Math.floor(service.now().getTime() / DAY_MS) * DAY_MS - days * DAY_MS)
        await activities.saw([{ id, bucket, at, address: '198.51.100.23' }])
      }
      await saw('AC-1', 31)
      await saw('AC-2', 5)
      await saw('AC-5', 0)
      const seen = async (value: string) =>
        serialsIn((await operator.get(`/console/devices?seen=${value}&sort=serial`)).text)
      assert.deepEqual(await seen('today'), ['AC-5'])
      assert.deepEqual(await seen('7d'), ['AC-2', 'AC-5'])
      assert.deepEqual(await seen('not-30d'), ['AC-1'])
      const near = await operator.get('/console/devices?address=198.51.100.0%2F24&sort=serial')
      assert.deepEqual(serialsIn(near.text), ['AC-1', 'AC-2', 'AC-5'])
    })

    test('the search finds any part of a serial, and explains what it searched', async () => {
      const label = /Part of a serial, start of a key, or id/
      assert.match(textOf(await operator.get('/console/devices')), label)
      assert.deepEqual(serialsIn((await operator.get('/console/devices?q=C-')).text).length, 4)
      assert.deepEqual(serialsIn((await operator.get('/console/devices?q=C-1')).text), ['AC-1'])
      const none = textOf(await operator.get('/console/devices?q=c-1'))
      assert.match(
        none,
        /Searched for serials that contain “c-1” and devices with this id\. The search is case-sensitive\./,
      )
      const key = textOf(await operator.get('/console/devices?q=%3Cb%3E-12345'))
      assert.match(key, /contain “<b>-12345”, device keys whose id begins with it, and devices/)
      // There was no search.
      const other = textOf(await operator.get('/console/devices?status=superseded'))
      assert.match(other, /Nothing matches these filters/)
      assert.doesNotMatch(other, /Searched for/)
    })

    test('shows the filters and how to clear them if nothing matches', async () => {
      const page = await operator.get('/console/devices?q=ZZ-9&status=active')
      assert.equal(page.status, 200)
      assert.match(
        textOf(page),
        /Nothing matches these filters: search: ZZ-9 status: active Searched for serials that contain “ZZ-9” .*\. Clear filters/,
      )
      assert.match(page.text, /value="ZZ-9"/)
    })

    for (const [query, says] of [
      ['status=nonsense', /The filter “status” is not one of pending, /],
      [
        'q=two+words',
        /The filter “search” is not a serial, a key or an id.* search: two words status: pending Clear filters/,
      ],
      ['sort=size', /The filter “sort” is not one of -registered, /],
      [
        'model=acme',
        /The filter “model” is not of the form BRAND\/MODEL\. model: acme status: pending Clear filters/,
      ],
      ['brand=a--b', /The filter “brand” is not the account id of a brand/],
      ['address=x', /The filter “address” is not an IP address, or a block/],
      ['decided_by=a+b', /The filter “decided by” is not a name or an id/],
      ['registered_since=soon', /The filter “registered since” is neither a date, such as 2026-12-24/],
      ['color=red', /unknown parameter: "color"/],
      ['seen=never', /seen/],
    ] as const)
      test(`refuses ${query} with the reason, and the filters can be cleared`, async () => {
        const page = await operator.get(`/console/devices?${query}&status=pending`)
        assert.equal(page.status, 400)
        assert.match(textOf(page), /^.*Invalid request /)
        assert.match(textOf(page), says)
      })

    test('keeps a filter that has no field when the form is sent', async () => {
      const page = await operator.get('/console/devices?brand=best-brand')
      assert.match(page.text, /<input type="hidden" name="brand" value="best-brand">/)
    })

    test('Guarantee: rows, counts and models of other brands are hidden', async () => {
      const page = await viewer.get('/console/devices')
      assert.deepEqual(serialsIn(page.text), ['AC-5', 'AC-4', 'AC-2', 'AC-1'])
      assert.doesNotMatch(page.text, /best-brand|BE-3/)
      assert.match(textOf(page), /4 · 1 pending/)
      const none = await viewer.get('/console/devices?brand=best-brand')
      assert.match(textOf(none), /Nothing matches/)
    })

    test('users who can only view devices cannot select them', async () => {
      const page = await viewer.get('/console/devices?status=pending')
      assert.doesNotMatch(page.text, /type="checkbox" form=|All \d+ device|Selected devices/)
      const mine = await operator.get('/console/devices?status=pending')
      assert.match(mine.text, new RegExp(`type="checkbox" form="bulk" name="id" value="${wait.id}"`))
      assert.match(
        textOf(mine),
        /Selected devices: Approve devices… Reject devices… All 1 device that matches:/,
      )
      assert.doesNotMatch(textOf(mine), /Revoke devices…/, 'a pending device cannot be revoked')
    })

    test('the export is a file with the same filters, and is in the audit log', async () => {
      const page = await operator.get('/console/devices?q=AC-&status=active&cursor=')
      const [, address = ''] = /href="([^"]*export[^"]*csv)"/.exec(page.text) ?? []
      const { status, headers, text } = await operator.get(unescaped(address))
      assert.equal(status, 200)
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="devices\.csv"$/)
      const lines = text.trim().split('\n')
      assert.equal(lines.length, 3, text)
      assert.ok(lines.every((line, index) => index === 0 || /AC-[12]/.test(line)))
      const [entry] = await service.installation.audit.list({ action: 'devices.export' }, { limit: 1 })
      assert.match(entry?.details ?? '', /"via":"console"/)
    })
  })
})
