/** The import of devices in the console: send a file once, see a preview, and import or discard it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { NEEDED_COLUMNS } from '../../src/devices/transfer/device-record.ts'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { NEEDED_COLUMNS as SHOWN_COLUMNS } from '../../src/web/console/devices/import-pages.ts'
import { type ConsoleAnswer, type ConsoleBrowser, consoleAs, consoleOf, textOf } from '../support/console.ts'
import { eachDatabase, onOne } from '../support/databases.ts'
import { addAcmeModel, withAcme } from '../support/devices.ts'
import { addManager } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const PATH = '/console/devices/import'
const HEADER = 'brand_id,model,serial,device_key_id\n'
const keyId = (index: number) => Buffer.alloc(48, `key ${index}`).toString('base64url')

test('the page names the required columns', () => {
  assert.deepEqual(SHOWN_COLUMNS, NEEDED_COLUMNS)
})

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  const { describeOnce } = onOne(kind)
  let account: Account
  let manager: ConsoleBrowser
  before(async () => {
    await withAcme(service.installation)
    account = await addManager(service, 'brand-manager acme-brand')
    manager = await consoleOf(service, account)
  })
  const run = () => runJobs(async () => true, service.installation)
  let models = 0
  const newModel = async () => {
    const model = `import-${++models}`
    await addAcmeModel(service.installation, model)
    return model
  }
  const rows = (model: string, count: number) =>
    Array.from(
      { length: count },
      (_, index) => `acme-brand,${model},I-${index},${keyId(index + models * 1e3)}\n`,
    ).join('')
  const devicesOf = (model: string) =>
    service.installation.devices.list({ brandId: 'acme-brand', model, limit: 1000 })
  const waitingJobs = async () => service.installation.jobs.countActive(account.id)

  const send = async (fields: Readonly<Record<string, string>>, page?: ConsoleAnswer) =>
    manager.upload(page ?? (await manager.get(PATH)), PATH, fields)

  test('shows a preview of a file, and imports it without choosing it again', async () => {
    const model = await newModel()
    const sent = await send({ file: HEADER + rows(model, 3), rows: '', format: '' })
    assert.match(sent.location ?? '', /^\/console\/devices\/import\/[0-9a-f-]{36}\?tried=[0-9a-f-]{36}$/)
    const step = sent.location ?? ''
    const looking = await manager.get(step)
    assert.match(textOf(looking), /The file is being checked/)
    assert.match(looking.text, /<meta http-equiv="refresh" content="2">/)
    await run()
    assert.deepEqual(await devicesOf(model), [], 'nothing was imported yet')
    const looked = await manager.get(step)
    assert.match(
      textOf(looked),
      /The file has 3 devices\. Nothing is imported yet\. 3 devices would be added\..*Import 3 devices/,
    )
    const done = await manager.submit(looked, step, { do: 'import' })
    assert.match(done.location ?? '', /^\/console\/jobs\//)
    await run()
    assert.equal((await devicesOf(model)).length, 3)
    assert.equal(await waitingJobs(), 0)
    assert.match(textOf(await manager.get(step)), /is not pending any more/)
    const late = await manager.submit(looked, step, { do: 'discard', once: 'd'.repeat(22) })
    assert.equal(late.location, done.location)
    const job = textOf(await manager.open(late.location ?? ''))
    assert.match(job, /is not pending any more/)
    assert.doesNotMatch(job, /Nothing was imported/)
  })

  test('shows errors with their places, and discards the file when a different one is chosen', async () => {
    const model = await newModel()
    const text = `${HEADER}${rows(model, 1)}acme-brand,${model},<script>,short\n`
    const { location: step = '' } = await send({ file: text })
    await run()
    const page = await manager.get(step)
    assert.match(
      textOf(page),
      /1 problem in the file.*line 3 device_key_id "device_key_id" is not the id of a key/,
    )
    assert.doesNotMatch(page.text, /value="import"|<script>,/)
    const another = await manager.submit(page, step, { do: 'discard' })
    assert.equal(another.location, PATH)
    assert.equal(await waitingJobs(), 0)
    assert.deepEqual(await devicesOf(model), [])
  })

  test('Guarantee: a file with errors is never imported', async () => {
    const model = await newModel()
    const { location: step = '' } = await send({ file: `${HEADER}${rows(model, 1)}a,b,c,d\n` })
    await run()
    await manager.fill(step, { do: 'import' })
    await run()
    assert.deepEqual(await devicesOf(model), [])
  })

  test('imports pasted rows, as JSON lines and as a JSON list', async () => {
    for (const asText of [
      (all: readonly object[]) => JSON.stringify(all),
      (all: readonly object[]) => all.map((one) => JSON.stringify(one)).join('\r\n'),
    ]) {
      const model = await newModel()
      const row = { brand_id: 'acme-brand', model, serial: 'P-1', device_key_id: keyId(models * 1e3) }
      const { location: step = '' } = await send({ rows: asText([row]) })
      await run()
      const page = await manager.get(step)
      assert.match(textOf(page), /1 device would be added/)
      await manager.submit(page, step, { do: 'import' })
      await run()
      assert.equal((await devicesOf(model)).length, 1)
    }
  })

  test('Guarantee: a form that is sent twice creates its jobs once', async () => {
    const model = await newModel()
    const page = await manager.get(PATH)
    const file = HEADER + rows(model, 1)
    const first = await send({ file }, page)
    const again = await send({ file }, page)
    assert.equal(again.location, first.location)
    assert.equal(await waitingJobs(), 2)
    await run()
    await manager.fill(first.location ?? '', { do: 'discard' })
    assert.equal(await waitingJobs(), 0)
  })

  test('refuses an account with too many jobs, and leaves no file behind', async () => {
    const model = await newModel()
    const { location: step = '' } = await send({ file: HEADER + rows(model, 1) })
    await run()
    const busy = await send({ file: HEADER + rows(model, 2) })
    assert.equal(busy.status, 422)
    assert.match(textOf(busy), /2 jobs of your account have not ended. Wait for one of them, or cancel one/)
    assert.match(textOf(busy), /Preview/)
    assert.equal(await waitingJobs(), 1)
    await manager.fill(step, { do: 'discard' })
  })

  describeOnce('refused imports', () => {
    test('shows the form again for no file, two sources, or an invalid format', async () => {
      for (const fields of [
        {},
        { rows: '  ' },
        { rows: HEADER, file: HEADER },
        { rows: HEADER, format: 'xml' },
      ] as const) {
        const refused = await send(fields)
        assert.equal(refused.status, 422, JSON.stringify(fields))
        assert.match(refused.text, /<title>Error: /)
      }
      assert.match((await send({})).text, /id="f-file-problem">Choose a file, or paste rows/)
      const kept = await send({ rows: '"><script>alert(1)</script>', format: 'xml' })
      assert.match(kept.text, /&quot;&gt;&lt;script&gt;alert/)
      assert.equal(await waitingJobs(), 0)
    })

    test('refuses invalid forms, too many parts and too many bytes', async () => {
      const boundary = 'multipart/form-data; boundary=x'
      const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`
      for (const [body, type, status] of [
        ['a=b', 'application/x-www-form-urlencoded', 400],
        ['', boundary, 400],
        ['--x\r\nContent-Disp', boundary, 400],
        ['--x--', 'multipart/form-data', 400],
        ['--x--', `multipart/form-data; boundary=${'y'.repeat(71)}`, 400],
        [`${part('a').repeat(30)}--x--\r\n`, boundary, 400],
        [`${part('csrf')}--x--\r\n`, boundary, 422],
        ['x'.repeat(4 * 1024 * 1024 + 1), boundary, 413],
      ] as const) {
        const refused = await manager.post(PATH, body, { 'content-type': type })
        assert.equal(refused.status, status, `${body.slice(0, 40)} ${type}: ${textOf(refused)}`)
      }
      assert.equal(await waitingJobs(), 0)
    })

    test('Guarantee: a user who does not manage devices cannot import, and another user does not see the import', async () => {
      const viewer = await consoleAs(service, 'viewer acme-brand')
      const sent = await viewer.upload(await viewer.get('/console/devices'), PATH, { rows: HEADER })
      assert.equal(sent.status, 403)
      const { location: step = '' } = await send({ rows: HEADER + rows(await newModel(), 1) })
      const other = await consoleAs(service, 'brand-manager acme-brand')
      assert.equal((await other.get(step)).status, 404)
      const [path = '', tried = ''] = step.split('?tried=')
      const id = path.split('/').at(-1) ?? ''
      // A job that validates is not a job that waits with a file, and vice versa.
      for (const address of [
        `${path}?tried=nonsense`,
        `${path}?tried=${id}`,
        `${PATH}/${tried}?tried=${tried}`,
      ])
        assert.equal((await manager.get(address)).status, 404, address)
      await run()
      await manager.fill(step, { do: 'discard' })
    })
  })
})
