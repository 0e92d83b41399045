/** The brand pages: visibility, whether serials can be signed, and disabling a signing key. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { DEVICE_STATUS_NAMES } from '@ratafia/api/schemas'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import { insertMany, toInstant } from '../../src/database/index.ts'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import { addBrand, addModel } from '../support/as-operator.ts'
import { accountKeyFile, signedFile, testKey } from '../support/brands.ts'
import { TESTER } from '../support/changes.ts'
import { type ConsoleBrowser, consoleOf, textOf, unescaped } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, registered, withAcme } from '../support/devices.ts'
import { addManager, addOperator } from '../support/managers.ts'
import { addPerson, testService } from '../support/service.ts'

const HOSTILE = `<script>alert("1")</script>'\u202e${'x'.repeat(500)}`
const DAY_MS = 86_400_000
const MINUTES = 60_000

eachDatabase((_kind, _open, fresh) => {
  describe('the list of brands while it is empty', () => {
    const service = testService(fresh)

    test('explains to users who see all brands how to add one on the host', async () => {
      const page = await (await consoleOf(service, await addOperator(service))).get('/console/brands')
      assert.equal(page.status, 200)
      assert.match(textOf(page), /No brands yet\..*ratafia brands add --account FILE/)
      assert.doesNotMatch(page.text, /models\/new/)
    })

    test('explains to a user who sees one brand that it is not here', async () => {
      const viewer = await consoleOf(service, await addManager(service, 'viewer no-brand'))
      assert.match(textOf(await viewer.get('/console/brands')), /No brands for your roles yet\./)
    })

    test('empty lists explain what they are for and how to begin', async () => {
      const operator = await consoleOf(service, await addOperator(service))
      assert.match(textOf(await operator.get('/console/signing-keys')), /No signing keys yet\./)
      const models = await operator.get('/console/models')
      assert.match(textOf(models), /No models yet\..*ratafia models add/)
      assert.match(models.text, /href="\/console\/models\/new">Add the first model/)
      assert.match(textOf(await operator.get('/console/hardware-identities')), /No hardware identities yet\./)
    })
  })

  describe('the brand pages', () => {
    const service = testService(fresh)
    const people = new Map<string, ConsoleBrowser>()
    const as = (role: string): ConsoleBrowser => people.get(role) ?? assert.fail(role)
    const MANAGER = 'brand-manager acme-brand'
    const acmeKey = testKey('brand').publicKey.id
    const otherKey = testKey('unknown')
    const OTHER = `/console/signing-keys/${otherKey.publicKey.id}`
    before(async () => {
      const { installation } = service
      await withAcme(installation)
      const account = { 'account-id': 'other-brand', validation: 'unproven' }
      const file = { ...account, 'display-name': HOSTILE, timestamp: '2021-01-01T00:00:00Z' }
      const until = new Date(service.now().getTime() + 21.5 * DAY_MS).toISOString()
      await addBrand(
        {
          account: signedFile('account', file),
          accountKey: accountKeyFile('other-brand', otherKey, { until, name: 'line' }),
          signingKey: {
            name: 'key',
            bytes: Buffer.from(otherKey.keyObject.export({ format: 'pem', type: 'pkcs8' })),
          },
        },
        installation,
      )
      const own = { 'authority-id': 'other-brand', series: '16', 'brand-id': 'other-brand', model: 'own' }
      const model = { ...own, classic: 'true', timestamp: '2021-01-01T00:00:00Z' }
      await addModel(
        {
          file: signedFile('model', model, { key: otherKey }),
          policy: { registration: 'auto', ...DEFAULT_POLICY },
        },
        installation,
      )
      await addAcmeModel(installation, 'second')
      await registered(service)
      await recountDevices({ ...installation, goOn: async () => true })
      for (const role of ['viewer acme-brand', MANAGER, 'auditor']) {
        people.set(role, await consoleOf(service, await addManager(service, role)))
      }
      people.set('operator', await consoleOf(service, await addOperator(service)))
    })

    test('shows each brand with its models, devices by state, and whether it can sign', async () => {
      const page = await as('operator').get('/console/brands')
      assert.equal(page.status, 200)
      const rows = page.text.split('<tr role="row">')
      const acme = rows.find((row) => row.includes('/console/brands/acme-brand')) ?? assert.fail(page.text)
      assert.match(textOf({ text: acme }), /acme-brand .*2.*1 active.*● active/)
      const one = await as('operator').get('/console/brands/acme-brand')
      assert.match(one.text, /href="\/console\/devices\?brand=acme-brand&amp;status=active">1 active/)
      const other = rows.find((row) => row.includes('/console/brands/other-brand')) ?? assert.fail(page.text)
      assert.match(textOf({ text: other }), /◌ active expires in 22 days/)
    })

    test('Guarantee: a brand that the user may not see looks as if it did not exist', async () => {
      const viewer = as('viewer acme-brand')
      const list = textOf(await viewer.get('/console/brands'))
      assert.match(list, /acme-brand/)
      assert.doesNotMatch(list, /other-brand/)
      const nothing = await viewer.get('/console/brands/no-brand')
      assert.equal(nothing.status, 404)
      for (const path of ['/console/brands/other-brand', OTHER, `${OTHER}/disable`]) {
        assert.equal((await viewer.get(path)).status, 404, path)
      }
      assert.equal(
        textOf(await viewer.get('/console/brands/other-brand')).replaceAll('other-brand', 'no-brand'),
        textOf(nothing),
      )
      const keys = await viewer.get('/console/signing-keys?brand=other-brand')
      assert.match(textOf(keys), /Nothing matches these filters: brand: other-brand/)
    })

    test('the brand page shows the remaining life of its keys, and what to do before the last one expires', async () => {
      const page = await as('operator').get('/console/brands/other-brand')
      assert.equal(page.status, 200)
      const text = textOf(page)
      assert.match(text, /The last active key of this brand expires in 22 days \./)
      assert.match(text, /private keys are never sent over HTTP.*ratafia signing-keys add next\.pem/)
      assert.match(
        page.text,
        /<progress max="100" value="\d" aria-label="\d % of its life remains"><\/progress>/,
      )
      assert.match(page.text, /href="\/console\/models\/other-brand\/own"/)
      const acme = textOf(await as('operator').get('/console/brands/acme-brand'))
      assert.doesNotMatch(acme, /The last active key/)
      assert.match(acme, /1 active.*Counted/)
    })

    test('input from other users cannot become markup, change the order of text, or fill the page', async () => {
      for (const path of ['/console/brands', '/console/brands/other-brand']) {
        const { text } = await as('operator').get(path)
        assert.doesNotMatch(text, /<script>alert|\u202e|x{100}/, path)
        assert.match(text, /&lt;script&gt;alert/, path)
        assert.match(text, /⟨U\+202E⟩/, path)
      }
    })

    test('shows trust roots only to users who may see them', async () => {
      const roots = await as('auditor').get('/console/trust-roots')
      assert.equal(roots.status, 200)
      assert.match(textOf(roots), /canonical.*built in.*test-root.*added/)
      assert.match(textOf(await as('auditor').get('/console/brands/acme-brand')), /Trust roots/)
      assert.equal((await as(MANAGER).get('/console/trust-roots')).status, 403)
      assert.doesNotMatch(textOf(await as(MANAGER).get('/console/brands/acme-brand')), /Trust roots/)
    })

    test('users who can only read see no button, and are refused', async () => {
      const viewer = as('viewer acme-brand')
      const brand = await viewer.get('/console/brands/acme-brand')
      assert.doesNotMatch(brand.text, /Disable key…|models\/new/)
      assert.match((await as(MANAGER).get('/console/brands/acme-brand')).text, /Disable key…/)
      const path = `/console/signing-keys/${acmeKey}/disable`
      const refused = await viewer.get(path)
      assert.equal(refused.status, 403)
      assert.match(textOf(refused), /models:manage.*brand-manager.*Ask an operator to grant one/)
      const developer = await consoleOf(service, await addPerson(service))
      assert.equal((await developer.get('/console/brands')).status, 403)
    })

    test('disabling a key that models need requires force, a recent sign-in and the typed key', async () => {
      const page = await as('operator').get(`${OTHER}/disable`)
      assert.equal(page.status, 200)
      assert.match(textOf(page), /1 model has no other key\..*other-brand\/own.*Add another key first/)
      assert.doesNotMatch(page.text, /name="typed"/)
      // If the form is sent anyway, the operation refuses it.
      const form = await as('operator').get(`${OTHER}/disable-anyway`)
      const plain = await as('operator').submit(
        { ...form, text: form.text.replaceAll('disable-anyway', 'disable') },
        `${OTHER}/disable`,
        { typed: otherKey.publicKey.id.slice(0, 12) },
      )
      assert.equal(plain.status, 422)
      const again = await as('operator').submit(form, `${OTHER}/disable-anyway`, { typed: 'something' })
      assert.equal(again.status, 422)
      assert.match(textOf(again), /Type exactly/)
      assert.equal((await keyNow()).disabledAt, null)

      const early = new Date(service.now().getTime() - 16 * MINUTES).toISOString()
      const late = await consoleOf(service, await addOperator(service), { signedIn: `browser ${early}` })
      assert.equal((await late.get(`${OTHER}/disable-anyway`)).status, 303, 'requires another sign-in')
      const agent = await consoleOf(service, await addOperator(service), { signedIn: 'agent ci' })
      assert.equal((await agent.get(`${OTHER}/disable-anyway`)).status, 403)

      const typed = { typed: otherKey.publicKey.id.slice(0, 12) }
      const done = await as('operator').submit(form, `${OTHER}/disable-anyway`, typed)
      assert.deepEqual([done.status, done.location], [303, '/console/brands/other-brand'])
      const { disabledAt } = await keyNow()
      assert.ok(disabledAt)
      // The form takes effect once.
      assert.equal((await as('operator').submit(form, `${OTHER}/disable-anyway`, typed)).status, 303)
      assert.deepEqual((await keyNow()).disabledAt, disabledAt)
      const brand = await as('operator').get('/console/brands/other-brand')
      assert.match(textOf(brand), /disabled\..*No key of this brand can sign/)
      assert.match(textOf(await as('operator').get('/console/brands')), /▲ no active key/)
      assert.match(textOf(await as('operator').get(`${OTHER}/disable`)), /This key is disabled already/)
    })

    async function keyNow() {
      return (await service.installation.brands.findKey(otherKey.publicKey.id)) ?? assert.fail('no key')
    }

    test('a form from another session cannot disable a key', async () => {
      const path = `/console/signing-keys/${acmeKey}/disable-anyway`
      const form = await as('operator').get(path)
      const refused = await as('operator').submit(form, path, { csrf: 'x', typed: acmeKey.slice(0, 12) })
      assert.equal(refused.status, 422)
      const key = await service.installation.brands.findKey(acmeKey)
      assert.equal(key?.disabledAt, null)
    })

    test('lists the models of all brands, or of one', async () => {
      const all = textOf(await as('operator').get('/console/models'))
      assert.match(all, /acme-brand\/acme-classic.*acme-brand\/second.*other-brand\/own/)
      assert.match(all, /automatic ▲ 1 warning/)
      const one = await as('operator').get('/console/models?brand=other-brand')
      assert.match(textOf(one), /other-brand\/own/)
      assert.doesNotMatch(textOf(one), /acme-classic/)
      const none = await as('operator').get('/console/models?brand=nobody')
      assert.match(textOf(none), /Nothing matches these filters: brand: nobody/)
      assert.equal((await as('operator').get('/console/models?brand=%3Cscript%3E')).status, 400)
      const after = await as('operator').get('/console/models?cursor=nonsense')
      assert.equal(after.status, 400)
    })

    test('a hundred brands, with keys and devices in every state, keep the budget', async () => {
      const { query } = service.installation.database
      const at = toInstant(service.now())
      const ids = Array.from({ length: 120 }, (_, index) => `a${String(index).padStart(31, '0')}`)
      const key = (await service.installation.brands.findKey(acmeKey)) ?? assert.fail('no key')
      await service.installation.changeBy(TESTER)(async ({ brands }) => {
        for (const id of ids) {
          const brand = { accountId: id, displayName: `Brand of ${id}`, addedAt: service.now() }
          await brands.add(brand, { ...key, accountId: id, keyId: id.padEnd(64, 'k') })
        }
      })
      await insertMany(
        query,
        'device_count',
        ids.flatMap((id) =>
          DEVICE_STATUS_NAMES.map((status) => {
            return { brand_id: id, model: 'm', status, devices: 12_345, counted_at: at }
          }),
        ),
      ).execute()
      const page = await as('operator').get('/console/brands')
      assert.match(textOf(page), /100 on this page/)
      assert.match(textOf(page), /12,345 active · 12,345 pending · 37,035 others/)
      assert.ok(page.text.length < 90_000, String(page.text.length))
      const keys = await as('operator').get('/console/signing-keys')
      assert.match(textOf(keys), /100 on this page/)
      assert.ok(keys.text.length < 90_000, String(keys.text.length))
      const [, next = ''] = /rel="next" href="([^"]+)"/.exec(page.text) ?? []
      assert.match(textOf(await as('operator').get(unescaped(next))), /acme-brand.*other-brand/)
    })

    test('a list of models shows the devices of each model, for any number of brands', async () => {
      const { query } = service.installation.database
      const rows = await query.selectFrom('model').selectAll().where('model', '=', 'own').execute()
      const [own = assert.fail('no model')] = rows
      const ids = Array.from({ length: 120 }, (_, index) => `a${String(index).padStart(31, '0')}`)
      await insertMany(
        query,
        'model',
        ids.map((id) => ({ ...own, brand_id: id, model: 'm' })),
      ).execute()
      const page = await as('operator').get('/console/models')
      assert.match(textOf(page), /100 on this page/)
      assert.equal(page.text.match(/12,345 active · 12,345 pending · 37,035 others/g)?.length, 100)
      assert.ok(page.text.length < 90_000, String(page.text.length))
    })
  })
})
