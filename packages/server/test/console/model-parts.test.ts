/** The pages about a model's API keys, allow-list and remodels, and about hardware identities. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { runJobs } from '../../src/management/jobs/run-jobs.ts'
import { importAllowList } from '../support/as-operator.ts'
import { vector } from '../support/brands.ts'
import {
  type ConsoleBrowser,
  consoleAs,
  consoleOf,
  nextPage,
  rowsOf,
  textOf,
  unescaped,
} from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, register, withAcme } from '../support/devices.ts'
import { addManager, addOperator, manage, managementToken } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const HOSTILE = `<script>alert("1")</script>'`
const MINUTES = 60_000
const keyId = (index: number) => Buffer.alloc(48, `key ${index}`).toString('base64url')
let models = 0

eachDatabase((_kind, _open, fresh) => {
  describe('the pages about a model’s parts', () => {
    const service = testService(fresh)
    let token: string
    let manager: ConsoleBrowser
    let viewer: ConsoleBrowser
    let operator: ConsoleBrowser
    before(async () => {
      await withAcme(service.installation)
      const account = await addManager(service, 'brand-manager acme-brand')
      token = await managementToken(service, account)
      manager = await consoleOf(service, account)
      viewer = await consoleAs(service, 'viewer acme-brand')
      operator = await consoleOf(service, await addOperator(service))
    })
    const addLot = async () => {
      const model = `lot-${++models}`
      await addAcmeModel(service.installation, model, { policy: { registration: 'allow-list' } })
      return { model, path: `/console/models/acme-brand/${model}`, api: `/models/acme-brand/${model}` }
    }
    const listed = async (path: string) => (await manage(service, token, 'GET', path)).body
    /** Entries with only a serial number, with only a key, and with both. */
    const fill = (model: string, count: number) =>
      importAllowList(
        `serial,device_key_id\n${Array.from(
          { length: count },
          (_, index) => [`A-${index},`, `,${keyId(index)}`, `A-${index},${keyId(index)}`][index % 3],
        ).join('\n')}\n`,
        { model: { brandId: 'acme-brand', model }, format: 'csv' },
        service.installation,
      )
    const run = () => runJobs(async () => true, service.installation)

    test('shows an API key once, in each form that tools need; a reload shows it again and does not create another', async () => {
      const { path, api } = await addLot()
      const list = await manager.get(`${path}/api-keys`)
      assert.match(textOf(list), /No API keys yet\..*ratafia api-keys add/)
      assert.match(list.text, /api-keys\/new">Create the first API key…/)
      const address = `${path}/api-keys/new`
      const form = await manager.get(address)
      assert.match(textOf(form), /This is the first key of the model/)
      const until = new Date(service.now().getTime() + 90 * 86_400_000).toISOString().slice(0, 10)
      const fields = { label: `line ${HOSTILE}`, expires: until, uses: '5000' }
      const shown = await manager.submit(form, address, fields)
      assert.equal(shown.status, 200, textOf(shown))
      assert.equal(shown.headers.get('cache-control'), 'no-store')
      const [key = ''] = /ratafia_ak_[A-Za-z0-9_-]{43}/.exec(shown.text) ?? []
      assert.ok(key)
      const text = unescaped(shown.text)
      for (const block of [
        `snapctl set device-service.headers='{"api-key": "${key}"}'`,
        `api-key: ${key}`,
        `echo ${key} | ratafia demo device --brand DIRECTORY --api-key-stdin`,
      ]) {
        assert.ok(text.includes(block), block)
      }
      assert.match(shown.text, /data-copy="once-hook"/)
      assert.doesNotMatch(shown.text, /<script>alert/)
      const again = await manager.submit(form, address, fields)
      assert.equal(again.text, shown.text)
      const { api_keys: keys } = await listed(`${api}/api-keys`)
      assert.equal(keys.length, 1)
      assert.deepEqual([keys[0].use_limit, keys[0].expires_at], [5000, `${until}T00:00:00.000Z`])
      service.advance(11 * MINUTES)
      const late = await manager.submit(form, address, fields)
      assert.equal(late.status, 410)
      assert.doesNotMatch(late.text, /ratafia_ak_/)
      assert.equal((await listed(`${api}/api-keys`)).api_keys.length, 1)
      const page = await manager.get(`${path}/api-keys`)
      assert.match(textOf(page), /line <script>.*● active 0 of 5,000 never in (?:89|90) days/)
      assert.doesNotMatch(page.text, /<script>alert|ratafia_ak_/)
      const model = await manager.get(path)
      assert.match(textOf(model), /1 key line <script>.*Uses: 0 of 5,000/)
      assert.doesNotMatch(model.text, /<script>alert/)
    })

    test('a device can register with the key on the page, and its use is counted', async () => {
      const model = `open-${++models}`
      const modelText = await addAcmeModel(service.installation, model)
      const path = `/console/models/acme-brand/${model}`
      const shown = await manager.fill(`${path}/api-keys/new`, { label: 'line 1' })
      const [, key = ''] = /api-key: (ratafia_ak_[A-Za-z0-9_-]{43})/.exec(shown.text) ?? []
      assert.equal((await register(service, { model, modelText })).status, 401, 'the model requires a key')
      const registered = await register(service, { model, modelText, requestHeaders: { 'api-key': key } })
      assert.equal(registered.status, 200)
      assert.match(textOf(await viewer.get(`${path}/api-keys`)), /line 1 .*● active 1 .*ago|just now/)
    })

    test('refuses an invalid API key, and keeps what the user typed', async () => {
      const { path, api } = await addLot()
      const address = `${path}/api-keys/new`
      for (const [fields, says] of [
        [{ label: '' }, /label/],
        [{ label: 'two\nlines' }, /on one line/],
        [{ label: 'x'.repeat(201) }, /label/],
        [{ label: 'kept', uses: 'many' }, /Enter a whole number/],
        [{ label: 'kept', uses: '0' }, /uses/],
        [{ label: 'kept', expires: 'tomorrow' }, /Enter a day as YEAR-MONTH-DAY/],
        [{ label: 'kept', expires: '2027-02-31' }, /expires|day/],
        [{ label: 'kept', expires: '2020-01-01' }, /expired already/],
      ] as const) {
        const refused = await manager.fill(address, fields)
        assert.equal(refused.status, 422, JSON.stringify(fields))
        assert.match(textOf(refused), says)
        if (fields.label === 'kept') assert.match(refused.text, /name="label" value="kept"/)
      }
      assert.deepEqual((await listed(`${api}/api-keys`)).api_keys, [])
    })

    test('marks an API key that expires within 30 days, or has expired, in the list and on the model page', async () => {
      const { path, api } = await addLot()
      for (const days of [29, 31]) {
        const expires = new Date(service.now().getTime() + days * 86_400_000).toISOString()
        const body = { label: `for ${days} days`, expires }
        assert.equal((await manage(service, token, 'POST', `${api}/api-keys`, { body })).status, 201)
      }
      for (const page of [await viewer.get(`${path}/api-keys`), await viewer.get(path)]) {
        assert.match(textOf(page), /for 29 days( [0-9a-f]{12})? ◌ expires soon/)
        assert.match(textOf(page), /for 31 days( [0-9a-f]{12})? ● active/)
      }
      const keys = service.installation.database.query
        .updateTable('api_key')
        .where('label', '=', 'for 29 days')
      await keys.set({ expires_at: service.now().getTime() }).execute()
      assert.match(textOf(await viewer.get(`${path}/api-keys`)), /for 29 days [0-9a-f]{12} ✕ expired/)
    })

    test('revokes an API key after the user has typed its id', async () => {
      const { path, api } = await addLot()
      const made = await manage(service, token, 'POST', `${api}/api-keys`, { body: { label: 'line 2' } })
      const { id } = made.body
      const address = `${path}/api-keys/${id}/revoke`
      const form = await manager.get(address)
      assert.match(textOf(form), /line 2.*The model still requires a key.*It has been used 0 times/)
      const wrong = await manager.submit(form, address, { typed: 'line 2' })
      assert.equal(wrong.status, 422)
      assert.equal((await listed(`${api}/api-keys/${id}`)).revoked_at, null)
      for (let times = 0; times < 2; times++) {
        const done = await manager.submit(wrong, address, { typed: id })
        assert.deepEqual([done.status, done.location], [303, `${path}/api-keys`])
      }
      assert.match(textOf(await manager.get(`${path}/api-keys`)), /“line 2” revoked\..*✕ revoked/)
      const entries = await service.installation.audit.list({ subject: id }, { limit: 10 })
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['api-key.revoke', 'api-key.add'],
      )
      assert.match(textOf(await manager.get(address)), /This key is revoked already/)
      assert.equal((await manager.get(`${path}/api-keys/000000000000/revoke`)).status, 404)
    })

    test('the notice about an API key makes invisible characters of its label visible', async () => {
      const { path, api } = await addLot()
      const body = { label: 'line\u202e3' }
      const { id } = (await manage(service, token, 'POST', `${api}/api-keys`, { body })).body
      const address = `${path}/api-keys/${id}/revoke`
      await manager.fill(address, { typed: id })
      const page = await manager.get(`${path}/api-keys`)
      assert.match(textOf(page), /“line⟨U\+202E⟩3” revoked\./)
      assert.doesNotMatch(page.text, /\u202e/)
    })

    test('lists an allow-list in pages, and removes selected entries after the user has typed their number', async () => {
      const { model, path, api } = await addLot()
      const address = `${path}/allow-list/remove`
      const empty = await manager.get(`${path}/allow-list`)
      assert.match(textOf(empty), /No entries yet\..*ratafia allow-list import FILE --model/)
      assert.match(empty.text, /allow-list\/import">Import entries…/)
      await fill(model, 130)
      const page = await manager.get(`${path}/allow-list`)
      assert.equal(rowsOf(await nextPage(manager, page)).length, 30)
      assert.match(textOf(await manager.get(path)), /Allow-list 130 entries/)

      const boxes = [...page.text.matchAll(/name="entry" value="([^"]*)"/g)].map(([, one = '']) =>
        unescaped(one),
      )
      assert.equal(boxes.length, 100)
      const other = await manager.submit(page, address, { entry: boxes.slice(0, 2), do: 'look' })
      assert.match(textOf(other), /Remove 2 entries\?/, 'the list is shown, and other entries are selected')
      const entry = boxes.slice(0, 25)
      const look = await manager.submit(page, address, { entry, do: 'look' })
      assert.equal(look.status, 200, textOf(look))
      assert.match(textOf(look), /Remove 25 entries\?.*Nothing is removed yet.*and 5 more/)
      const wrong = await manager.submit(look, address, { entry, do: 'remove', typed: '24' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), /Remove 25 entries\?.*Type exactly 25/)
      assert.equal((await listed(`${api}/allow-list?limit=1000`)).entries.length, 130)
      for (let times = 0; times < 2; times++) {
        const done = await manager.submit(wrong, address, { entry, do: 'remove', typed: '25' })
        assert.deepEqual([done.status, done.location], [303, `${path}/allow-list`])
      }
      assert.equal((await listed(`${api}/allow-list?limit=1000`)).entries.length, 105)
      assert.match(textOf(await manager.get(`${path}/allow-list`)), /25 entries removed/)
      const gone = await manager.submit(page, address, { entry, do: 'look' })
      assert.equal(gone.status, 422)
      assert.match(textOf(gone), /No entries match/)
    })

    test('removes an entry by its serial number or key, and refuses invalid ones', async () => {
      const { model, path, api } = await addLot()
      const address = `${path}/allow-list/remove`
      await importAllowList(
        `serial,device_key_id\nS-1,\nS-1,${keyId(1)}\n,${keyId(2)}\n`,
        { model: { brandId: 'acme-brand', model }, format: 'csv' },
        service.installation,
      )
      const form = await manager.get(address)
      assert.equal(form.status, 200)
      for (const fields of [
        {},
        { serial: 'S-9' },
        { serial: `x/${HOSTILE}` },
        { device_key_id: 'short' },
        { entry: 'S-1' },
        { entry: '/' },
        { entry: 'a/b/c' },
      ]) {
        const refused = await manager.submit(form, address, { ...fields, do: 'look' })
        assert.equal(refused.status, 422, JSON.stringify(fields))
        assert.doesNotMatch(refused.text, /<script>alert/)
      }
      const key = await manager.submit(form, address, { device_key_id: 'short', do: 'look' })
      assert.match(key.text, /<a href="#f-device_key_id">device_key_id /, 'the problem is at its field')
      const look = await manager.submit(form, address, { serial: 'S-1', do: 'look' })
      assert.match(textOf(look), /Remove 2 entries\?.*S-1/)
      // Another user removes one of them meanwhile.
      const body = { entries: [{ serial: 'S-1', device_key_id: keyId(1) }] }
      assert.equal((await manage(service, token, 'POST', `${api}/allow-list/remove`, { body })).status, 200)
      const changed = await manager.submit(look, address, { do: 'remove', typed: '2' })
      assert.equal(changed.status, 422)
      assert.match(textOf(changed), /1 entry matches now instead of 2\./)
      assert.equal((await listed(`${api}/allow-list`)).entries.length, 2)
      const done = await manager.submit(changed, address, { do: 'remove', typed: '1' })
      assert.equal(done.status, 303)
      assert.deepEqual((await listed(`${api}/allow-list`)).entries, [
        { serial: null, device_key_id: keyId(2) },
      ])
    })

    test('emptying a list requires a person and the typed model', async () => {
      const { model, path, api } = await addLot()
      const address = `${path}/allow-list/remove-all`
      await fill(model, 12)
      const account = await addManager(service, 'brand-manager acme-brand')
      const agent = await consoleOf(service, account, { signedIn: 'agent ci' })
      assert.equal((await agent.get(address)).status, 403)
      const recent = await consoleOf(service, account)
      const form = await recent.get(address)
      assert.match(textOf(form), /All 12 entries are removed/)
      const wrong = await recent.submit(form, address, { typed: model })
      assert.equal(wrong.status, 422)
      assert.equal((await listed(`${api}/allow-list`)).entries.length, 12)
      const done = await recent.submit(wrong, address, { typed: `acme-brand/${model}` })
      assert.equal(done.status, 303)
      assert.equal((await listed(`${api}/allow-list`)).entries.length, 0)
      assert.doesNotMatch((await recent.get(address)).text, /name="typed"/)
    })

    test('a job imports or validates an allow-list, from a file or from rows', async () => {
      const { path, api } = await addLot()
      const address = `${path}/allow-list/import`
      const form = await manager.get(address)
      assert.equal(form.status, 200)
      const csv = 'serial,device_key_id\r\nI-1,\r\nI-2,'
      const tried = await manager.upload(form, address, { file: csv, format: 'csv', do: 'try' })
      assert.equal(tried.status, 303, textOf(tried))
      await run()
      assert.deepEqual((await listed(`${api}/allow-list`)).entries, [])
      assert.match(textOf(await manager.open(tried.location ?? '')), /Validation queued/)
      const again = await manager.get(address)
      const made = await manager.upload(again, address, { rows: csv, format: 'csv', do: 'import' })
      assert.match(made.location ?? '', /^\/console\/jobs\/[0-9a-f-]{36}$/)
      await run()
      assert.deepEqual(
        (await listed(`${api}/allow-list`)).entries.map(({ serial }: { serial: string }) => serial),
        ['I-1', 'I-2'],
      )
      for (const [fields, says] of [
        [{ format: 'csv' }, /Choose a file, or paste rows/],
        [{ format: 'csv', rows: csv, file: csv }, /You chose a file and also pasted rows/],
        [{ format: 'nonsense', rows: csv }, /format is not one of csv/],
      ] as const) {
        const refused = await manager.upload(await manager.get(address), address, fields)
        assert.equal(refused.status, 422)
        assert.match(textOf(refused), says)
      }
      const refused = await viewer.upload(await viewer.get(path), address, { format: 'csv', rows: csv })
      assert.equal(refused.status, 403)
    })

    test('users who manage both brands can allow a remodel, and remove it', async () => {
      const from = await addLot()
      const to = await addLot()
      const address = `${from.path}/remodels`
      const list = await manager.get(address)
      assert.match(textOf(list), /Remodelling is not allowed\..*ratafia models allow-remodel/)
      for (const [wanted, says] of [
        ['nonsense', /does not name a model/],
        [`acme-brand/${from.model}`, /is the same model/],
        [`${HOSTILE}/x/y`, /does not name a model/],
      ] as const) {
        const refused = await manager.submit(list, address, { to: wanted })
        assert.equal(refused.status, 422, wanted)
        assert.match(textOf(refused), says)
        assert.doesNotMatch(refused.text, /<script>alert/)
      }
      assert.equal((await manager.submit(list, address, { to: 'other-brand/own' })).status, 404)
      for (let times = 0; times < 2; times++) {
        const done = await manager.submit(list, address, { to: `acme-brand/${to.model}` })
        assert.deepEqual([done.status, done.location], [303, address])
      }
      const { remodels } = await listed(`${from.api}/remodels`)
      assert.equal(remodels.length, 1)
      const seen = await viewer.get(address)
      assert.match(textOf(seen), new RegExp(`acme-brand/${to.model}`))
      assert.doesNotMatch(seen.text, /name="to"/)
      const remove = `${address}/acme-brand/${to.model}/remove`
      const form = await manager.get(remove)
      assert.match(textOf(form), /You can allow it again/)
      const done = await manager.submit(form, remove)
      assert.deepEqual([done.status, done.location], [303, address])
      assert.deepEqual((await listed(`${from.api}/remodels`)).remodels, [])
      assert.equal((await manager.get(remove)).status, 404)
    })

    test('users who see all brands see hardware identities, and users who manage them can import some', async () => {
      const LIST = '/console/hardware-identities'
      const address = `${LIST}/import`
      assert.equal((await manager.get(LIST)).status, 403)
      assert.match(textOf(await operator.get(LIST)), /No hardware identities yet\./)
      const rows = Buffer.from(vector('extra-head/hardware-identity').bytes)
        .toString()
        .replaceAll('\n', '\r\n')
      const made = await operator.upload(await operator.get(address), address, { rows, do: 'import' })
      assert.equal(made.status, 303, textOf(made))
      await run()
      const page = await operator.get(LIST)
      assert.match(textOf(page), /acme-board HW-1 Acme acme-brand/)
    })
  })
})
