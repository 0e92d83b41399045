/** The model pages: a new model, its policy with the risks, a newer assertion, and removal. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { importAllowList, setPolicy } from '../support/as-operator.ts'
import { type ConsoleBrowser, consoleAs, textOf, unescaped } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { acmeModel, addAcmeModel, registered, withAcme } from '../support/devices.ts'
import { addOperator } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const HOSTILE = `<script>alert("1")</script>'\u202e`
const NEW = '/console/models/new'
const CLASSIC = '/console/models/acme-brand/acme-classic'
const POLICY = {
  ...{ registration: 'allow-list', proposed_serial: 'optional', taken_serial: 'refuse' },
  ...{ hardware_identity: 'ignored', clones: 'record', serials: 'uuid' },
}
/** Returns a string with several lines as a browser sends it. */
const sent = (bytes: Uint8Array) => Buffer.from(bytes).toString().replaceAll('\n', '\r\n')
let models = 0

eachDatabase((_kind, _open, fresh) => {
  describe('the model pages', () => {
    const service = testService(fresh)
    let manager: ConsoleBrowser
    let viewer: ConsoleBrowser
    let stranger: ConsoleBrowser
    before(async () => {
      await withAcme(service.installation)
      manager = await consoleAs(service, 'brand-manager acme-brand')
      viewer = await consoleAs(service, 'viewer acme-brand')
      stranger = await consoleAs(service, 'brand-manager other-brand')
      await addOperator(service)
    })
    const find = (model: string) => service.installation.models.findOpen({ brandId: 'acme-brand', model })
    const policyOf = async (model: string) => (await find(model))?.policy ?? assert.fail(model)
    const actionsOf = async (model: string) =>
      (await service.installation.audit.list({ subject: `acme-brand/${model}` }, { limit: 20 })).map(
        ({ action }) => action,
      )
    const addLot = async () => {
      const model = `lot-${++models}`
      await addAcmeModel(service.installation, model, { policy: { registration: 'allow-list' } })
      return { model, path: `/console/models/acme-brand/${model}` }
    }

    test('shows a preview of a new model, which the user can change, and stores it once', async () => {
      const model = `new-${++models}`
      const headers = { 'display-name': `Acme ${HOSTILE}`, store: 'shop', architecture: 'arm64' }
      const assertion = sent(acmeModel(model, headers))
      const form = await manager.get(NEW)
      assert.equal(form.status, 200)
      const fields = { ...POLICY, registration: 'auto', taken_serial: 'reissue', assertion }
      const look = await manager.submit(form, NEW, fields)
      assert.equal(look.status, 200, look.text)
      assert.match(textOf(look), new RegExp(`Add acme-brand/${model}\\?.*Nothing is stored yet`))
      assert.match(textOf(look), /Architecture arm64.*Store shop.*Current signer acme-brand with key/)
      assert.match(textOf(look), /Reissue .*Anyone can take over the serial number of any device/)
      assert.doesNotMatch(look.text, /<script>alert/)
      assert.doesNotMatch(textOf(look), /\u202e/)
      assert.equal(await find(model), undefined)

      // The user goes back, and sees a preview of another model.
      const otherwise = await manager.submit(form, NEW, { ...fields, clones: 'quarantine' })
      assert.equal(otherwise.status, 200)
      assert.match(textOf(otherwise), /Detected clones Quarantine/)

      const change = await manager.submit(look, NEW, { do: 'change' })
      assert.equal(change.status, 200)
      assert.match(change.text, /name="taken_serial" value="reissue" checked/)
      assert.ok(unescaped(change.text).includes(`model: ${model}`))
      const safer = await manager.submit(change, NEW, {
        ...fields,
        taken_serial: 'refuse',
        registration: 'approval',
      })
      assert.doesNotMatch(textOf(safer), /Anybody/)
      for (let times = 0; times < 2; times++) {
        const added = await manager.submit(safer, NEW, { do: 'add' })
        assert.deepEqual([added.status, added.location], [303, `/console/models/acme-brand/${model}`])
      }
      assert.equal((await policyOf(model)).registration, 'approval')
      assert.deepEqual(await actionsOf(model), ['model.add'])
      const page = await manager.get(`/console/models/acme-brand/${model}`)
      assert.match(textOf(page), new RegExp(`Model acme-brand/${model} added`))
      assert.match(page.text, /Acme &lt;script&gt;.*⟨U\+202E⟩/)

      const again = await manager.fill(NEW, { ...POLICY, assertion, do: 'add' })
      assert.equal(again.status, 422)
      assert.match(textOf(again), /already exists/)
      assert.ok(unescaped(again.text).includes(`model: ${model}`), 'the user’s input is kept')
    })

    test('refuses an invalid model with advice, and keeps what the user typed', async () => {
      const form = await manager.get(NEW)
      const X = { ...POLICY, assertion: sent(acmeModel('x', {})) }
      for (const [fields, says] of [
        [{ ...X, assertion: 'type: model\n\nnonsense' }, /The assertion/],
        [{ ...X, assertion: HOSTILE }, /The assertion/],
        [
          { ...X, assertion: X.assertion.replace('acme-brand', 'acme-brond') },
          /only the brand signs its models/,
        ],
        [{ ...X, serials: 'AC' }, /is not a template/],
        [{ ...X, registration: 'everybody' }, /: registration is not one of auto/],
        [{ ...X, registration: '' }, /: Choose which devices can register/],
        [{ ...X, assertion: '' }, /assertion/],
      ] as const) {
        const refused = await manager.submit(form, NEW, fields)
        assert.equal(refused.status, 422, refused.text)
        assert.match(refused.text, /<title>Error: /)
        assert.match(textOf(refused), says)
        assert.doesNotMatch(refused.text, /<script>alert/)
      }
      assert.equal(await find('x'), undefined)
    })

    test('the model page shows its assertion, its policy with warnings at the settings, and its parts', async () => {
      const page = await viewer.get(CLASSIC)
      assert.equal(page.status, 200)
      const text = textOf(page)
      assert.match(text, /Registration Automatic .*Anyone who has the model assertion gets a serial/)
      assert.match(text, /Revision 0 .*System classic.*Store acme-store.*Other serial authorities generic/)
      assert.match(text, /No API keys yet\. Devices of this model do not need a key\./)
      assert.match(text, /No entries yet\. The policy does not use this list/)
      assert.match(page.text, /href="\/console\/devices\?model=acme-brand%2Facme-classic"/)
    })

    test('Guarantee: the pages of another brand’s model look as if it did not exist', async () => {
      for (const rest of [
        '',
        '/policy',
        '/assertion',
        '/remove',
        '/remodels',
        '/api-keys',
        '/api-keys/new',
      ]) {
        const hidden = await stranger.get(`${CLASSIC}${rest}`)
        const absent = await stranger.get(`/console/models/acme-brand/nothing${rest}`)
        assert.deepEqual([hidden.status, absent.status], [404, 404], rest)
        assert.equal(textOf(hidden).replaceAll('acme-classic', 'nothing'), textOf(absent))
      }
      const rest = ['/allow-list', '/allow-list/remove', '/allow-list/remove-all', '/allow-list/import']
      for (const one of rest) assert.equal((await stranger.get(`${CLASSIC}${one}`)).status, 404, one)
    })

    test('users accept each new risk of a policy before it is saved', async () => {
      const { model, path } = await addLot()
      const address = `${path}/policy`
      const form = await manager.get(address)
      assert.equal(form.status, 200)
      assert.match(form.text, /name="registration" value="allow-list" checked/)
      const dangerous = { ...POLICY, registration: 'auto', taken_serial: 'reissue' }
      const asks = await manager.submit(form, address, dangerous)
      assert.equal(asks.status, 422)
      assert.match(textOf(asks), /Read the risks of this policy\. Tick each one that you accept/)
      assert.match(textOf(asks), /Anyone can take over the serial number/)
      assert.match(asks.text, /name="registration" value="auto" checked/)
      assert.match(asks.text, /name="accepted" value="taken_serial"/)
      assert.match(textOf(asks), /Currently: Allow-list\./)
      assert.equal((await policyOf(model)).registration, 'allow-list')
      const half = await manager.submit(asks, address, { ...dangerous, accepted: 'taken_serial' })
      assert.equal(half.status, 422, 'one of the two was not accepted')
      const accepted = ['taken_serial', 'registration']
      const saved = await manager.submit(half, address, { ...dangerous, accepted })
      assert.deepEqual([saved.status, saved.location], [303, path])
      const { registration, takenSerial } = await policyOf(model)
      assert.deepEqual([registration, takenSerial], ['auto', 'reissue'])
      assert.match(textOf(await manager.get(path)), /Policy saved\./)
      // A risk that the policy already has needs no second acceptance.
      const next = await manager.fill(address, { ...dangerous, clones: 'quarantine' })
      assert.equal(next.status, 303)
      const [entry] = await service.installation.audit.list({ subject: `acme-brand/${model}` }, { limit: 1 })
      assert.deepEqual(JSON.parse(entry?.details ?? '{}').quarantineClones, true)
    })

    test('a policy that has changed in the meantime needs another decision', async () => {
      const { model, path } = await addLot()
      const address = `${path}/policy`
      const form = await manager.get(address)
      await setPolicy({ brandId: 'acme-brand', model }, { proposedSerial: 'required' }, service.installation)
      const wanted = { ...POLICY, clones: 'quarantine' }
      const refused = await manager.submit(form, address, wanted)
      assert.equal(refused.status, 422)
      assert.match(textOf(refused), /The record has changed since you read it\..*Currently: Required\./)
      assert.equal((await policyOf(model)).quarantineClones, false)
      const saved = await manager.submit(refused, address, wanted)
      assert.equal(saved.status, 303)
      const { proposedSerial, quarantineClones } = await policyOf(model)
      assert.deepEqual([proposedSerial, quarantineClones], ['optional', true])
    })

    test('an unchanged policy changes nothing, and an invalid one is refused', async () => {
      const { model, path } = await addLot()
      const address = `${path}/policy`
      const form = await manager.get(address)
      assert.equal((await manager.submit(form, address, POLICY)).status, 303)
      assert.match(textOf(await manager.get(path)), /nothing was changed/)
      assert.deepEqual(await actionsOf(model), ['model.add'])
      for (const wrong of [{ clones: HOSTILE }, { serials: HOSTILE }, { registration: 'anybody' }]) {
        const refused = await manager.fill(address, { ...POLICY, ...wrong })
        assert.equal(refused.status, 422)
        assert.doesNotMatch(refused.text, /<script>alert/)
      }
      assert.deepEqual(await actionsOf(model), ['model.add'])
    })

    test('shows a preview of a newer revision, which replaces the one that the user has seen', async () => {
      const { model, path } = await addLot()
      const address = `${path}/assertion`
      const newer = sent(acmeModel(model, { revision: '3', store: 'elsewhere' }))
      const look = await manager.fill(address, { assertion: newer })
      assert.equal(look.status, 200, look.text)
      assert.match(textOf(look), /Revision 3 will replace revision 0\..*Store elsewhere/)
      assert.deepEqual(await actionsOf(model), ['model.add'])
      await setPolicy({ brandId: 'acme-brand', model }, { proposedSerial: 'required' }, service.installation)
      const stale = await manager.submit(look, address, { do: 'replace' })
      assert.equal(stale.status, 422)
      assert.match(textOf(stale), /has changed since you read it/)
      const again = await manager.submit(stale, address, { assertion: newer })
      const done = await manager.submit(again, address, { do: 'replace' })
      assert.deepEqual([done.status, done.location], [303, path])
      assert.match(textOf(await manager.get(path)), /Revision 3 stored\..*Store elsewhere/)
      const same = await manager.fill(address, { assertion: newer })
      assert.match(textOf(same), /This revision is stored already/)
      assert.doesNotMatch(same.text, /value="replace"/)
      const other = await manager.fill(address, { assertion: sent(acmeModel('another')) })
      assert.equal(other.status, 422)
      assert.match(textOf(other), /is for acme-brand\/another, not for/)
    })

    test('removes a model after the user has typed its name, and not while it is needed', async () => {
      const { model, path } = await addLot()
      const address = `${path}/remove`
      const { installation } = service
      const named = { brandId: 'acme-brand', model }
      await importAllowList('serial\nR-1\n', { model: named, format: 'csv' }, installation)
      const needed = await manager.get(address)
      assert.match(textOf(needed), /The model cannot be removed\. The allow-list of .* is not empty/)
      assert.doesNotMatch(needed.text, /name="typed"/)
      await installation.database.query.deleteFrom('allow_list').where('model', '=', model).execute()
      const form = await manager.get(address)
      assert.match(textOf(form), /This also removes 0 API keys and 0 remodels\./)
      const wrong = await manager.submit(form, address, { typed: model })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), new RegExp(`Type exactly acme-brand/${model}`))
      await setPolicy(named, { proposedSerial: 'required' }, installation)
      const typed = { typed: `acme-brand/${model}` }
      assert.equal((await manager.submit(wrong, address, typed)).status, 422, 'it has changed')
      assert.ok(await find(model))
      const fresh = await manager.get(address)
      const blind = await manager.submit(fresh, address, { ...typed, seen: '' })
      assert.equal(blind.status, 422, 'the form has no version')
      for (let times = 0; times < 2; times++) {
        const done = await manager.submit(fresh, address, typed)
        assert.deepEqual([done.status, done.location], [303, '/console/brands/acme-brand'])
      }
      assert.equal(await find(model), undefined)
      assert.equal((await manager.get(path)).status, 404)

      await registered(service)
      const held = await manager.get(`${CLASSIC}/remove`)
      assert.match(textOf(held), /The register has devices of acme-brand\/acme-classic/)
      assert.match(held.text, /href="\/console\/devices\?model=acme-brand%2Facme-classic">/)
    })
  })
})
