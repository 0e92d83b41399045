/** The brand pages: visibility, whether serials can be signed, and disabling a signing key. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import { recountDevices } from '../../src/devices/counts/recount.ts'
import { addBrand, addModel } from '../support/as-operator.ts'
import { accountKeyFile, signedFile, testKey } from '../support/brands.ts'
import { type ConsoleBrowser, consoleAs, consoleOf, HOSTILE, textOf } from '../support/console.ts'
import { eachDatabase } from '../support/databases.ts'
import { addAcmeModel, registered, withAcme } from '../support/devices.ts'
import { addOperator } from '../support/managers.ts'
import { testService } from '../support/service.ts'

const DAY_MS = 86_400_000

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
      const viewer = await consoleAs(service, 'viewer no-brand')
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
        people.set(role, await consoleAs(service, role))
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

    test('shows trust roots only to users who may see them', async () => {
      const roots = await as('auditor').get('/console/trust-roots')
      assert.equal(roots.status, 200)
      assert.match(textOf(roots), /canonical.*built in.*test-root.*added/)
      assert.match(textOf(await as('auditor').get('/console/brands/acme-brand')), /Trust roots/)
      assert.equal((await as(MANAGER).get('/console/trust-roots')).status, 403)
      assert.doesNotMatch(textOf(await as(MANAGER).get('/console/brands/acme-brand')), /Trust roots/)
    })

    test('disabling a key that models need requires force, a person and the typed key', async () => {
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

    test('lists the models of all brands, or of one', async () => {
      const all = textOf(await as('operator').get('/console/models'))
      assert.match(all, /acme-brand\/acme-classic.*acme-brand\/second.*other-brand\/own/)
      assert.match(all, /automatic ▲ 1 warning/)
      const one = await as('operator').get('/console/models?brand=other-brand')
      assert.match(textOf(one), /other-brand\/own/)
      assert.doesNotMatch(textOf(one), /acme-classic/)
      const none = await as('operator').get('/console/models?brand=unknown')
      assert.match(textOf(none), /Nothing matches these filters: brand: unknown/)
      assert.equal((await as('operator').get('/console/models?brand=%3Cscript%3E')).status, 400)
    })
  })
})
