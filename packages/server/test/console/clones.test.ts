/** The clone page: the evidence for all devices, by kind, brand, model and time. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CLONE_EVIDENCE_KINDS } from '../../src/devices/clones/clone-evidence.ts'
import { type ConsoleBrowser, consoleOf, textOf, unescaped } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { addManager } from '../support/managers.ts'
import { addDevices } from '../support/register.ts'
import { testService } from '../support/service.ts'

const DAY_MS = 86_400_000
const PATH = '/console/clones'

oneDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let auditor: ConsoleBrowser
  const rowsOf = async (query = '') => {
    const { status, text } = await auditor.get(`${PATH}${query}`)
    assert.equal(status, 200, query)
    return [...text.matchAll(/devices\/[0-9a-f-]{36}">([^<]*)</g)].map(([, serial]) => serial)
  }

  before(async () => {
    auditor = await consoleOf(service, await addManager(service, 'auditor'))
  })

  test('explains what the page is for if there is no evidence', async () => {
    const page = await auditor.get(PATH)
    assert.match(textOf(page), /No evidence of clones yet\..*Show devices.*ratafia clones list/)
    assert.ok(Buffer.byteLength(page.text) <= 25_000)
  })

  test('lists evidence newest first, and has filters', async () => {
    const devices = await addDevices(
      service,
      CLONE_EVIDENCE_KINDS.map((_, index) => ({
        ...{
          serial: `CL-${index}`,
          brandId: index === 3 ? 'best-brand' : 'acme-brand',
          model: `m-${index % 2}`,
        },
        quarantinedAt: index === 2 ? service.now() : null,
      })),
    )
    for (const [index, kind] of CLONE_EVIDENCE_KINDS.entries()) {
      const [device] = devices.slice(index)
      if (!device) continue
      const at = new Date(service.now().getTime() - (10 - index * 3) * DAY_MS)
      const sighting = { deviceId: device.id, bucket: device.bucket, kind, details: {}, at }
      await service.installation.clones.record({ ...sighting, subject: `${kind}-and-a-long-name` })
    }
    assert.deepEqual(await rowsOf(), ['CL-3', 'CL-2', 'CL-1', 'CL-0'])
    assert.deepEqual(await rowsOf('?kind=two-chains&brand=&model=&since='), ['CL-2'])
    assert.deepEqual(await rowsOf('?brand=best-brand'), ['CL-3'])
    assert.deepEqual(await rowsOf('?model=acme-brand%2Fm-0'), ['CL-2', 'CL-0'])
    const since = new Date(service.now().getTime() - 5 * DAY_MS).toISOString().slice(0, 10)
    assert.deepEqual(await rowsOf(`?since=${since}`), ['CL-3', 'CL-2'])
    const page = await auditor.get(`${PATH}?brand=nobody`)
    assert.match(textOf(page), /Nothing matches these filters: brand: nobody/)
    assert.match(textOf(await auditor.get(PATH)), /▲ quarantined two active chains two-chai…name/)
  })

  test('refuses an invalid filter, and hides other brands', async () => {
    for (const query of ['kind=bad', 'since=x', 'more=1', 'cursor=AAAA'])
      assert.equal((await auditor.get(`${PATH}?${query}`)).status, 400, query)
    const viewer = await consoleOf(service, await addManager(service, 'viewer best-brand'))
    const page = await viewer.get(PATH)
    assert.match(page.text, /CL-3/)
    assert.doesNotMatch(page.text, /CL-[012]|acme-brand/)
    const none = await consoleOf(service, await addManager(service, 'account-manager'))
    assert.equal((await none.get(PATH)).status, 403)
  })

  test('a page has 100 rows, links to the next, and stays small', async () => {
    const devices = await addDevices(
      service,
      Array.from({ length: 120 }, (_, index) => ({ serial: `LINE-7-${String(index).padStart(8, '0')}` })),
    )
    for (const { id, bucket } of devices) {
      const subject = '019e3b7c-0f6e-7c42-9d0a-3f5c1d2e4b6a'
      const at = service.now()
      await service.installation.clones.record({
        ...{ deviceId: id, bucket, kind: 'second-chain', subject, details: {}, at },
      })
    }
    const page = await auditor.get(PATH)
    const bytes = Buffer.byteLength(page.text)
    assert.ok(bytes <= 90_000, `${bytes} bytes`)
    const [, next = ''] = /rel="next" href="([^"]*)"/.exec(page.text) ?? []
    assert.equal((await auditor.get(unescaped(next))).status, 200)
  })
})
