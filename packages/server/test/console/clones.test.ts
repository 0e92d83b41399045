/** The clone page: the evidence for all devices, by kind, brand, model and time. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CLONE_EVIDENCE_KINDS } from '../../src/devices/clones/clone-evidence.ts'
import { type ConsoleBrowser, consoleAs, textOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
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
    auditor = await consoleAs(service, 'auditor')
  })

  test('explains what the page is for if there is no evidence', async () => {
    const page = await auditor.get(PATH)
    assert.match(textOf(page), /No evidence of clones yet\..*Show devices.*ratafia clones list/)
  })

  test('lists evidence newest first, and has filters', async () => {
    const devices = await addDevices(
      service,
      CLONE_EVIDENCE_KINDS.map((_, index) => ({
        ...{ serial: `CL-${index}`, model: `m-${index % 2}` },
        brandId: index === 3 ? 'best-brand' : 'acme-brand',
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
    const page = await auditor.get(`${PATH}?brand=unknown`)
    assert.match(textOf(page), /Nothing matches these filters: brand: unknown/)
    assert.match(textOf(await auditor.get(PATH)), /▲ quarantined two active chains two-chai…name/)
  })

  test('refuses an invalid filter, and hides other brands', async () => {
    for (const query of ['kind=bad', 'since=x', 'more=1'])
      assert.equal((await auditor.get(`${PATH}?${query}`)).status, 400, query)
    const viewer = await consoleAs(service, 'viewer best-brand')
    const page = await viewer.get(PATH)
    assert.match(page.text, /CL-3/)
    assert.doesNotMatch(page.text, /CL-[012]|acme-brand/)
  })
})
