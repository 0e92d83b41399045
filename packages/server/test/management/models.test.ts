/** Tests brands, models and what belongs to them over HTTP: who sees them, and who changes them. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import {
  addBrand,
  addModel,
  allowRemodel,
  importAllowList,
  importHardwareIdentities,
  setPolicy,
} from '../support/as-operator.ts'
import { addAcme, brandFiles, signedFile, testKey, vector } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  type Asking,
  addManager,
  everyPage,
  manage,
  managementToken,
  managerToken,
} from '../support/managers.ts'
import { refusalOf, testService } from '../support/service.ts'

const CLASSIC = '/models/acme-brand/acme-classic'
const ACME_MANAGER = 'brand-manager acme-brand'
const AUTO = { registration: 'auto', ...DEFAULT_POLICY } as const
/** A model that the managers of acme-brand cannot see, and one that does not exist. */
const HIDDEN = { brand: 'test-root', model: 'own' }
const ABSENT = { brand: 'no-brand', model: 'own' }

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const tokens = new Map<string, string>()
  const as = (role: string) => tokens.get(role) ?? assert.fail(role)
  const get = (role: string, path: string, asking: Asking = {}) =>
    manage(service, as(role), 'GET', path, asking)
  const post = (role: string, path: string, body: object = {}, asking: Asking = {}) =>
    manage(service, as(role), 'POST', path, { ...asking, body })

  before(async () => {
    const { installation } = service
    await addAcme({ ...installation, clock: service.now })
    await addModel({ file: vector('world/model-acme-gadget'), policy: AUTO }, installation)
    await addBrand(brandFiles('test-root', 'root'), installation)
    const own = { series: '16', 'brand-id': HIDDEN.brand, model: HIDDEN.model, classic: 'true' }
    const file = signedFile('model', { ...own, timestamp: '2021-01-01T00:00:00Z' })
    await addModel({ file, policy: AUTO }, installation)
    const roles = ['operator', 'auditor', 'account-manager', 'viewer', 'viewer acme-brand', ACME_MANAGER]
    for (const role of roles) {
      tokens.set(role, await managerToken(service, role))
    }
  })

  test('refuses to add or replace a model that snapd would refuse, with the reason', async () => {
    const { bytes } = vector('world/model-acme-classic')
    const valid = Buffer.from(bytes).toString()
    for (const [line, reason] of [
      ['kernel: 日本語', 'header "kernel" is not allowed in a classic model without "snaps"'],
      ['gadget: -', 'header "gadget" has an invalid snap name: "-"'],
      ['distribution: ubuntu', 'header "distribution" is only allowed in a classic model with "snaps"'],
      ['validation-sets: a', 'header "validation-sets" is not a list of maps'],
    ] as const) {
      const assertion = valid.replace('classic: true', `classic: true\n${line}`)
      const body = { assertion, policy: { registration: 'auto' } }
      for (const answer of [
        await post(ACME_MANAGER, '/models', body),
        await manage(service, as(ACME_MANAGER), 'PUT', `${CLASSIC}/assertion`, { body: { assertion } }),
      ]) {
        const { status, code, message } = refusalOf(answer)
        assert.deepEqual([status, code], [400, 'invalid-field'], message)
        assert.ok(message.includes(reason), message)
      }
    }
  })

  test('lists brands and models page by page, with the dangers of a policy', async () => {
    const { body } = await get('auditor', '/models')
    const names = body.models.map(
      (one: { brand_id: string; model: string }) => `${one.brand_id}/${one.model}`,
    )
    assert.deepEqual(names, ['acme-brand/acme-classic', 'acme-brand/acme-gadget', 'test-root/own'])
    assert.equal(body.next, null)
    assert.match(body.models[0].warnings.join(), /^Anyone who has the model assertion gets a serial/)
    const paged = await everyPage(service, as('auditor'), '/models', { limit: 1 })
    assert.deepEqual(paged, body.models)
    const brands = await get('operator', '/brands', { query: '?limit=1' })
    assert.equal(brands.body.brands[0].account_id, 'acme-brand')
    const rest = await get('operator', '/brands', { query: `?cursor=${brands.body.next}` })
    assert.deepEqual(
      rest.body.brands.map((one: { account_id: string }) => one.account_id),
      ['generic', 'test-root'].filter((id) => id !== 'generic'),
    )
  })

  test('shows a model with its signer, and an ETag that changes with its policy', async () => {
    const one = await get('viewer acme-brand', CLASSIC)
    assert.deepEqual(
      [one.status, one.body.signer, one.body.signer_fault, one.body.serial_authority],
      [200, { authority_id: 'acme-brand', key_id: testKey('brand').publicKey.id }, null, ['generic']],
    )
    const { display_name, architecture, base, grade, classic, signed_at } = one.body
    assert.deepEqual(
      [display_name, architecture, base, grade, classic, signed_at],
      [null, null, null, null, true, '2020-01-01T00:00:00.000Z'],
    )
    const etag = one.headers.get('etag') ?? ''
    assert.equal((await get('viewer', CLASSIC, { headers: { 'if-none-match': etag } })).status, 304)
    const name = { brandId: 'acme-brand', model: 'acme-classic' }
    await setPolicy(name, { takenSerial: 'reissue' }, service.installation)
    const dangerous = await get('viewer', CLASSIC, { headers: { 'if-none-match': etag } })
    assert.equal(dangerous.status, 200)
    assert.match(dangerous.body.warnings.join(), /Anyone can take over the serial number of any device/)
    assert.deepEqual(
      dangerous.body.warnings_by_setting.map((one: { setting: string; warning: string }) => one.warning),
      dangerous.body.warnings,
    )
    assert.deepEqual(
      dangerous.body.warnings_by_setting.map((one: { setting: string }) => one.setting),
      ['taken_serial', 'registration'],
    )
    await setPolicy(name, { takenSerial: 'refuse' }, service.installation)
  })

  test('lists only the public halves of signing keys, of visible brands', async () => {
    const { body } = await get(ACME_MANAGER, '/signing-keys')
    assert.deepEqual(
      body.signing_keys.map((key: { account_id: string; state: string }) => [key.account_id, key.state]),
      [['acme-brand', 'signs']],
    )
    const [key] = body.signing_keys
    assert.deepEqual((await get(ACME_MANAGER, `/signing-keys/${key.key_id}`)).body, key)
    const all = await get('operator', '/signing-keys', { query: '?limit=1' })
    const rest = await get('operator', '/signing-keys', { query: `?cursor=${all.body.next}` })
    assert.equal(rest.body.signing_keys[0].account_id, 'test-root')
    const only = await get('operator', '/signing-keys', { query: '?brand=acme-brand' })
    assert.deepEqual(only.body.signing_keys, [key])
  })

  test('Guarantee: treats a brand that the caller cannot see, and its models, as missing', async () => {
    const { installation } = service
    const hidden = { brandId: HIDDEN.brand, model: HIDDEN.model }
    await importAllowList('serial\nSECRET-1\n', { model: hidden, format: 'csv' }, installation)
    const key = await post('operator', `/models/${HIDDEN.brand}/${HIDDEN.model}/api-keys`, {
      label: 'theirs',
    })
    assert.equal(key.status, 201, JSON.stringify(key.body))
    await allowRemodel(
      { from: { ...hidden, brandId: 'acme-brand', model: 'acme-classic' }, to: hidden },
      installation,
    )
    const ids = { key: key.body.id as string, signing: testKey('root').publicKey.id }
    const paths = ({ brand, model }: typeof HIDDEN) =>
      [
        ['GET', `/brands/${brand}`],
        ['GET', `/models/${brand}/${model}`],
        ['GET', `/models/${brand}/${model}/remodels`],
        ['GET', `/models/${brand}/${model}/api-keys`],
        ['GET', `/models/${brand}/${model}/api-keys/${ids.key}`],
        ['GET', `/models/${brand}/${model}/allow-list`],
        ['POST', `/models/${brand}/${model}/api-keys`, { label: 'x' }],
        ['POST', `/models/${brand}/${model}/api-keys/${ids.key}/revoke`, {}],
        ['POST', `/models/${brand}/${model}/allow-list/remove`, { entries: [{ serial: 'SECRET-1' }] }],
        ['POST', `/models/${brand}/${model}/allow-list/remove`, { all: true }],
      ] as const
    const answerTo = async (...[method, path, body]: ReturnType<typeof paths>[number]) => {
      const { status, body: said } = await manage(service, as(ACME_MANAGER), method, path, { body })
      return { status, said: JSON.stringify(said).replaceAll(/test-root|no-brand/g, 'BRAND') }
    }
    const absent = paths(ABSENT)
    for (const [index, asked] of paths(HIDDEN).entries()) {
      const there = await answerTo(...asked)
      assert.equal(there.status, 404, asked[1])
      assert.match(there.said, /"no-such-record"/)
      assert.deepEqual(there, await answerTo(...(absent[index] ?? assert.fail())), asked[1])
    }
    // A hidden key below a visible model.
    const own = `${CLASSIC}/api-keys/${ids.key}`
    assert.equal((await get(ACME_MANAGER, own)).status, 404)
    assert.equal((await post(ACME_MANAGER, `${own}/revoke`)).status, 404)
    assert.equal((await get(ACME_MANAGER, `/signing-keys/${ids.signing}`)).status, 404)
    const mine = await post(ACME_MANAGER, `${CLASSIC}/api-keys`, { label: 'of the other model' })
    const elsewhere = `/models/acme-brand/acme-gadget/api-keys/${mine.body.id}`
    assert.equal((await get(ACME_MANAGER, elsewhere)).status, 404)
    assert.equal((await post(ACME_MANAGER, `${elsewhere}/revoke`)).status, 404)
    for (const list of ['/brands', '/models', '/signing-keys', `${CLASSIC}/remodels`]) {
      const { status, body } = await get(ACME_MANAGER, list)
      assert.equal(status, 200, list)
      assert.ok(!JSON.stringify(body).includes(HIDDEN.brand), list)
    }
    for (const list of ['/models', '/signing-keys']) {
      const { body } = await get(ACME_MANAGER, list, { query: `?brand=${HIDDEN.brand}` })
      assert.deepEqual(Object.values(body), [[], null])
    }
    assert.deepEqual((await get('viewer', `${CLASSIC}/remodels`)).body.remodels[0].to, 'test-root/own')
    const stillThere = await get('operator', `/models/${HIDDEN.brand}/${HIDDEN.model}/api-keys/${ids.key}`)
    assert.equal(stillThere.body.revoked_at, null)
  })

  test('Guarantee: a caller who can only see a model cannot change it, and one who cannot see it reads nothing', async () => {
    const key = await post('operator', `${CLASSIC}/api-keys`, { label: 'kept' })
    for (const role of ['viewer', 'viewer acme-brand', 'auditor']) {
      for (const [path, body] of [
        [`${CLASSIC}/api-keys`, { label: 'x' }],
        [`${CLASSIC}/api-keys/${key.body.id}/revoke`, {}],
        [`${CLASSIC}/allow-list/remove`, { all: true }],
      ] as const) {
        const { status, code } = refusalOf(await post(role, path, body))
        assert.deepEqual([status, code], [403, 'permission-denied'], `${role} ${path}`)
      }
    }
    for (const path of ['/brands', '/models', CLASSIC, '/signing-keys', `${CLASSIC}/api-keys`]) {
      assert.equal(refusalOf(await get('account-manager', path)).code, 'permission-denied', path)
    }
    assert.equal((await get('viewer', `${CLASSIC}/api-keys/${key.body.id}`)).body.revoked_at, null)
  })

  test('shows the text of an API key once, and in no list or log', async () => {
    const before = await get(ACME_MANAGER, CLASSIC)
    const headers = { 'idempotency-key': 'a-key-of-this-test' }
    const expires = new Date(service.now().getTime() + 86_400_000).toISOString()
    const wanted = { label: 'line 1', uses: 5, expires }
    const made = await post(ACME_MANAGER, `${CLASSIC}/api-keys`, wanted, { headers })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { key, ...record } = made.body
    assert.match(key, /^ratafia_ak_[A-Za-z0-9_-]{43}$/)
    assert.deepEqual([record.uses, record.use_limit, record.expires_at], [0, 5, expires])
    const again = await post(ACME_MANAGER, `${CLASSIC}/api-keys`, wanted, { headers })
    assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [made.body, 'true'])
    assert.deepEqual((await get('viewer', `${CLASSIC}/api-keys/${record.id}`)).body, record)
    const { body } = await get('viewer', `${CLASSIC}/api-keys`)
    assert.ok(body.api_keys.some((one: { id: string }) => one.id === record.id))
    assert.ok(!JSON.stringify(body).includes('ratafia_ak_'))
    const entries = await service.installation.audit.list({ subject: record.id }, { limit: 10 })
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['api-key.add'],
    )
    const log = await service.installation.audit.list({}, { limit: 1000 })
    assert.ok(!JSON.stringify(log).includes('ratafia_ak_'))
    // A model with a key no longer registers every device.
    assert.notEqual(before.headers.get('etag'), null)
    assert.deepEqual((await get('viewer', CLASSIC)).body.warnings, [])

    const revoke = (headers = {}) =>
      post(ACME_MANAGER, `${CLASSIC}/api-keys/${record.id}/revoke`, {}, { headers })
    assert.equal(refusalOf(await revoke({ 'if-match': '"another"' })).code, 'version-mismatch')
    const etag = (await get('viewer', `${CLASSIC}/api-keys/${record.id}`)).headers.get('etag') ?? ''
    const revoked = await revoke({ 'if-match': etag })
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
    assert.notEqual(revoked.body.revoked_at, null)
    assert.deepEqual((await revoke()).body, revoked.body)
  })

  test('refuses invalid API keys, and a dry run does not create one', async () => {
    const path = `${CLASSIC}/api-keys`
    const many = async () => (await get('viewer', path)).body.api_keys.length
    const before = await many()
    const past = new Date(service.now().getTime() - 1000).toISOString()
    for (const body of [
      { label: '   ' },
      { label: 'a\nb' },
      { label: 'a\u0000' },
      { label: 'x', expires: past },
      { label: 'x', expires: '2026-02-30T00:00:00Z' },
      { label: 'x', uses: 0 },
      { label: 'x', more: 1 },
      {},
    ]) {
      assert.equal((await post(ACME_MANAGER, path, body)).status, 400, JSON.stringify(body))
    }
    const dry = await post(ACME_MANAGER, path, { label: 'x' }, { query: '?dry_run=true' })
    assert.deepEqual([dry.status, dry.body.key, dry.headers.get('ratafia-dry-run')], [201, null, 'true'])
    assert.equal(await many(), before)
    for (const name of ['%00', 'x'.repeat(300), '..%2f', '%F0%9F%98%80']) {
      assert.equal((await get('operator', `/models/acme-brand/${name}`)).status, 404, name)
      assert.equal((await get('operator', `/brands/${name}`)).status, 404, name)
      assert.equal((await get('operator', `${path}/${name}`)).status, 404, name)
      assert.equal((await get('operator', `/signing-keys/${name}`)).status, 404, name)
    }
  })

  test('lists an allow-list page by page and removes entries once; removing all requires a recent sign-in', async () => {
    const model = { brandId: 'acme-brand', model: 'acme-gadget' }
    const gadget = '/models/acme-brand/acme-gadget/allow-list'
    const rows = ['A-1,', 'A-2,', `A-2,${'k'.repeat(64)}`, `,${'k'.repeat(64)}`]
    await importAllowList(
      `serial,device_key_id\n${rows.join('\n')}\n`,
      { model, format: 'csv' },
      service.installation,
    )
    const paged = await everyPage(service, as('viewer'), gadget, { field: 'entries', limit: 1 })
    assert.equal(paged.length, 4)
    assert.deepEqual((await get('viewer', gadget)).body.entries, paged)
    const remove = (body: object, asking: Asking = {}) => post(ACME_MANAGER, `${gadget}/remove`, body, asking)
    const entries = [{ serial: 'A-2' }]
    assert.deepEqual((await remove({ entries }, { query: '?dry_run=true' })).body, { removed: 2 })
    assert.deepEqual((await remove({ entries })).body, { removed: 2 })
    assert.deepEqual((await remove({ entries })).body, { removed: 0 })
    for (const body of [
      {},
      { all: false },
      { all: true, entries },
      { entries: [] },
      { entries: [{}] },
      { entries: [{ serial: 'a/b' }] },
      { entries: [{ serial: 'a\u0000' }] },
      { entries: [{ serial: '\ud800' }] },
      { entries: [{ device_key_id: 'short' }] },
    ]) {
      assert.equal((await remove(body)).status, 400, JSON.stringify(body))
    }
    const account = await addManager(service, ACME_MANAGER)
    const hourAgo = `browser ${new Date(service.now().getTime() - 3_600_000).toISOString()}`
    for (const [signedIn, code] of [
      [hourAgo, 'recent-sign-in-required'],
      ['agent line', 'person-required'],
    ] as const) {
      const token = await managementToken(service, account, {}, { signedIn })
      const answer = await manage(service, token, 'POST', `${gadget}/remove`, { body: { all: true } })
      assert.equal(answer.body.error_list[0].code, code)
    }
    assert.deepEqual((await remove({ all: true })).body, { removed: 2 })
    const [entry] = await service.installation.audit.list({ action: 'allow-list.remove' }, { limit: 1 })
    assert.match(entry?.actor ?? '', /^account:/)
  })

  test('lists hardware identities, and refuses changes with read-only tokens', async () => {
    await importHardwareIdentities([vector('extra-head/hardware-identity')], service.installation)
    const { body } = await get('viewer', '/hardware-identities')
    assert.deepEqual(
      body.hardware_identities.map((one: { hardware_id: string }) => one.hardware_id),
      ['HW-1'],
    )
    const { code } = refusalOf(await get('viewer acme-brand', '/hardware-identities'))
    assert.equal(code, 'permission-denied')
    const account = await addManager(service, 'operator')
    const token = await managementToken(service, account, { read_only: true })
    assert.equal((await manage(service, token, 'GET', `${CLASSIC}/api-keys`)).status, 200)
    const refused = await manage(service, token, 'POST', `${CLASSIC}/api-keys`, { body: { label: 'x' } })
    assert.match(refusalOf(refused).message, /Your token is read-only/)
  })
})
