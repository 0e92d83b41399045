/** Tests changes of models over HTTP, which only managers of their brand can make. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { HeaderInput } from '@ratafia/assertions'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { addBrand, addModel, importAllowList } from '../support/as-operator.ts'
import { accountKeyFile, addAcme, signedFile, testKey } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { type Asking, addManager, manage, managementToken, managerToken } from '../support/managers.ts'
import { refusalOf, testService } from '../support/service.ts'

const MANAGER = 'brand-manager acme-brand'
const CLASSIC = '/models/acme-brand/acme-classic'
const HIDDEN = '/models/other-brand/own'

const textOf = ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes).toString()

/** Returns the text of a model assertion that its brand signed. */
function modelText(brand: string, model: string, headers: Record<string, HeaderInput> = {}): string {
  const key = testKey(brand === 'acme-brand' ? 'brand' : 'unknown')
  const own = { 'authority-id': brand, series: '16', 'brand-id': brand, model, classic: 'true' }
  return textOf(signedFile('model', { ...own, timestamp: '2021-01-01T00:00:00Z', ...headers }, { key }))
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const tokens = new Map<string, string>()
  const ask = (
    role: string,
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    asking: Asking = {},
  ) =>
    manage(service, tokens.get(role) ?? assert.fail(role), method, path, { ...asking, ...(body && { body }) })
  const etagOf = async (path: string) => (await ask('operator', 'GET', path)).headers.get('etag') ?? ''
  const seen = async (path: string): Promise<Asking> => ({ headers: { 'if-match': await etagOf(path) } })
  const actionsOf = async (subject: string) =>
    (await service.installation.audit.list({ subject }, { limit: 20 })).map(({ action }) => action)

  before(async () => {
    const { installation } = service
    await addAcme({ ...installation, clock: service.now })
    const key = testKey('unknown')
    const account = { 'account-id': 'other-brand', 'display-name': 'Other', validation: 'unproven' }
    await addBrand(
      {
        account: signedFile('account', { ...account, timestamp: '2021-01-01T00:00:00Z' }),
        accountKey: accountKeyFile('other-brand', key),
        signingKey: {
          name: 'key',
          bytes: Buffer.from(key.keyObject.export({ format: 'pem', type: 'pkcs8' })),
        },
      },
      installation,
    )
    const file = { name: 'own', bytes: Buffer.from(modelText('other-brand', 'own')) }
    await addModel({ file, policy: { registration: 'auto', ...DEFAULT_POLICY } }, installation)
    for (const role of ['operator', 'viewer', MANAGER]) {
      tokens.set(role, await managerToken(service, role))
    }
  })

  test('a manager adds a model with its policy, changes it, updates its assertion and removes it', async () => {
    const path = '/models/acme-brand/new'
    const policy = { registration: 'allow-list', serials: 'N-{number:4}', clones: 'quarantine' }
    const body = { assertion: modelText('acme-brand', 'new'), policy }
    const dry = await ask(MANAGER, 'POST', '/models', body, { query: '?dry_run=true' })
    assert.equal(dry.status, 201, JSON.stringify(dry.body))
    assert.equal((await ask('operator', 'GET', path)).status, 404)
    const added = await ask(MANAGER, 'POST', '/models', body)
    assert.equal(added.status, 201, JSON.stringify(added.body))
    assert.deepEqual(
      [added.body.registration, added.body.serials, added.body.clones, added.body.taken_serial],
      ['allow-list', 'N-{number:4}', 'quarantine', 'refuse'],
    )
    assert.deepEqual((await ask('viewer', 'GET', path)).body, added.body)
    assert.equal(added.headers.get('etag'), await etagOf(path))
    assert.equal(refusalOf(await ask(MANAGER, 'POST', '/models', body)).code, 'already-exists')

    const patched = await ask(
      MANAGER,
      'PATCH',
      path,
      { taken_serial: 'reissue', serials: null },
      await seen(path),
    )
    assert.equal(patched.status, 200, JSON.stringify(patched.body))
    assert.deepEqual(
      [patched.body.registration, patched.body.taken_serial, patched.body.serials, patched.body.clones],
      ['allow-list', 'reissue', 'uuid', 'quarantine'],
    )
    assert.equal(patched.headers.get('etag'), await etagOf(path))
    const open = await ask(MANAGER, 'PATCH', path, { registration: 'auto' }, await seen(path))
    assert.match(open.body.warnings[0], /^Anyone can take over the serial number/)
    const same = await ask(MANAGER, 'PATCH', path, { registration: 'auto' }, await seen(path))
    assert.deepEqual(same.body, open.body)

    const newer = { assertion: modelText('acme-brand', 'new', { revision: '1', store: 'shop' }) }
    for (let times = 0; times < 2; times++) {
      const put = await ask(MANAGER, 'PUT', `${path}/assertion`, newer)
      assert.deepEqual([put.status, put.body.revision, put.body.store], [200, 1, 'shop'])
    }
    const removed = await ask(MANAGER, 'POST', `${path}/remove`, {}, await seen(path))
    assert.deepEqual(
      [removed.status, removed.body],
      [200, { removed: 'acme-brand/new', api_keys: 0, remodels: 0 }],
    )
    assert.equal(refusalOf(await ask(MANAGER, 'POST', `${path}/remove`, {})).code, 'no-such-record')
    assert.deepEqual(await actionsOf('acme-brand/new'), [
      ...['model.remove', 'model.update', 'model.set-policy', 'model.set-policy', 'model.add'],
    ])
  })

  test('Guarantee: changing a policy requires the version of the current one', async () => {
    const change = { proposed_serial: 'ignored' }
    const before = await ask('operator', 'GET', CLASSIC)
    const required = refusalOf(await ask(MANAGER, 'PATCH', CLASSIC, change))
    assert.deepEqual([required.status, required.code], [428, 'version-required'])
    const stale = await seen(CLASSIC)
    assert.equal((await ask(MANAGER, 'PATCH', CLASSIC, { clones: 'quarantine' }, stale)).status, 200)
    for (const [method, path, body] of [
      ['PATCH', CLASSIC, change],
      [
        'PUT',
        `${CLASSIC}/assertion`,
        { assertion: modelText('acme-brand', 'acme-classic', { revision: '9' }) },
      ],
      ['POST', `${CLASSIC}/remove`, {}],
    ] as const) {
      const { status, code } = refusalOf(await ask(MANAGER, method, path, body, stale))
      assert.deepEqual([status, code], [412, 'version-mismatch'], path)
    }
    const dry = await ask(MANAGER, 'PATCH', CLASSIC, change, {
      ...(await seen(CLASSIC)),
      query: '?dry_run=true',
    })
    assert.equal(dry.body.proposed_serial, 'ignored')
    const after = await ask('operator', 'GET', CLASSIC)
    assert.deepEqual([after.body.proposed_serial, after.body.revision], ['optional', before.body.revision])
    await ask(MANAGER, 'PATCH', CLASSIC, { clones: 'record' }, await seen(CLASSIC))
    for (const body of [
      ...[{ registration: null }, { registration: 'maybe' }, { serials: 'x' }, { serials: '' }, { more: 1 }],
      ...[{ brand_id: 'x' }, { warnings: [] }],
    ]) {
      const answer = await ask(MANAGER, 'PATCH', CLASSIC, body, await seen(CLASSIC))
      assert.equal(answer.status, 400, JSON.stringify(body))
    }
  })

  test('Guarantee: callers cannot change models of other brands, or find out whether they exist', async () => {
    const change = { registration: 'approval' }
    const anything = { headers: { 'if-match': '*' } }
    const own = `${HIDDEN}/assertion`
    const text = modelText('other-brand', 'own', { revision: '1' })
    for (const [method, hidden, body] of [
      ['PATCH', HIDDEN, change],
      ['PUT', own, { assertion: text }],
      ['PUT', own, { assertion: 'nonsense' }],
      ['POST', `${HIDDEN}/remove`, {}],
      ['POST', `${HIDDEN}/remodels`, { to: 'acme-brand/acme-classic' }],
      ['DELETE', `${HIDDEN}/remodels/acme-brand/acme-classic`, undefined],
      ['POST', `${CLASSIC}/remodels`, { to: 'other-brand/own' }],
      ['DELETE', `${CLASSIC}/remodels/other-brand/own`, undefined],
    ] as const) {
      const absent = (value: string) => value.replaceAll('other-brand', 'no-brand')
      const there = await ask(MANAGER, method, hidden, body, anything)
      const gone = await ask(
        MANAGER,
        method,
        absent(hidden),
        body && JSON.parse(absent(JSON.stringify(body))),
        anything,
      )
      assert.equal(there.status, 404, `${method} ${hidden}`)
      assert.deepEqual(absent(JSON.stringify(there.body)), JSON.stringify(gone.body), `${method} ${hidden}`)
    }
    const policy = { registration: 'auto' }
    for (const brand of ['other-brand', 'no-brand']) {
      const assertion = modelText(brand, 'second')
      const { code, message } = refusalOf(await ask(MANAGER, 'POST', '/models', { assertion, policy }))
      assert.equal(code, 'invalid-field')
      assert.match(message, new RegExp(`does not have the model's brand ${brand} yet`))
    }
    assert.deepEqual(await actionsOf('other-brand/own'), ['model.add'])
  })

  test('Guarantee: no model lets another brand sign its serials, and no file stores anything of another brand', async () => {
    const policy = { registration: 'auto' }
    const refused = async (assertion: string) => {
      const { code, message } = refusalOf(await ask(MANAGER, 'POST', '/models', { assertion, policy }))
      assert.equal(code, 'permission-denied', message)
      return message
    }
    const [there, gone] = await Promise.all(
      ['other-brand', 'no-brand'].map((name) =>
        refused(modelText('acme-brand', 'signed-by-them', { 'serial-authority': [name] })),
      ),
    )
    assert.equal(there?.replace('other-brand', 'no-brand'), gone)
    const theirs = accountKeyFile('other-brand', testKey('unknown'), {
      revision: '1',
      until: '2022-01-01T00:00:00Z',
    })
    await refused(`${modelText('acme-brand', 'with-more')}\n${textOf(theirs)}`)
    const update = {
      assertion: modelText('acme-brand', 'acme-classic', {
        revision: '5',
        'serial-authority': ['other-brand'],
      }),
    }
    assert.equal(
      refusalOf(await ask(MANAGER, 'PUT', `${CLASSIC}/assertion`, update)).code,
      'permission-denied',
    )
    // Additions by the operator stay allowed.
    const named = { 'serial-authority': ['generic', 'other-brand'] }
    const allowed = { assertion: modelText('acme-brand', 'acme-classic', { revision: '6', ...named }) }
    assert.equal((await ask('operator', 'PUT', `${CLASSIC}/assertion`, allowed)).status, 200)
    const next = { assertion: modelText('acme-brand', 'acme-classic', { revision: '7', ...named }) }
    assert.equal((await ask(MANAGER, 'PUT', `${CLASSIC}/assertion`, next)).body.revision, 7)
  })

  test('Guarantee: callers who can only see models cannot change them', async () => {
    const anything = { headers: { 'if-match': '*' } }
    for (const [method, path, body] of [
      ['POST', '/models', { assertion: modelText('acme-brand', 'x'), policy: { registration: 'auto' } }],
      ['POST', '/models', { assertion: 'x', policy: { registration: 'auto', serials: 'x' } }],
      ['PATCH', CLASSIC, { registration: 'auto' }],
      ['PUT', `${CLASSIC}/assertion`, { assertion: 'x' }],
      ['POST', `${CLASSIC}/remove`, {}],
      ['POST', `${CLASSIC}/remodels`, { to: 'other-brand/own' }],
      ['DELETE', `${CLASSIC}/remodels/other-brand/own`, undefined],
      ['POST', `/signing-keys/${testKey('brand').publicKey.id}/disable`, {}],
    ] as const) {
      const { status, code } = refusalOf(await ask('viewer', method, path, body, anything))
      assert.deepEqual([status, code], [403, 'permission-denied'], `${method} ${path}`)
    }
  })

  test('refuses an invalid model assertion, or one of a different model, with the messages of the command', async () => {
    const policy = { registration: 'auto' }
    for (const [assertion, message] of [
      ['nonsense', /^The assertion contains no readable assertion/],
      [textOf(accountKeyFile('acme-brand', testKey('brand'))), /^The assertion has no model assertion/],
      [modelText('acme-brand', 'old', { series: '15' }), /only 16 is supported/],
    ] as const) {
      const refused = refusalOf(await ask(MANAGER, 'POST', '/models', { assertion, policy }))
      assert.equal(refused.code, 'invalid-field')
      assert.match(refused.message, message)
    }
    const other = { assertion: modelText('acme-brand', 'another') }
    const { message } = refusalOf(await ask(MANAGER, 'PUT', `${CLASSIC}/assertion`, other))
    assert.equal(message, 'The assertion is for acme-brand/another, not for acme-brand/acme-classic.')
    const older = { assertion: modelText('acme-brand', 'acme-classic', { revision: '2' }) }
    assert.match(refusalOf(await ask(MANAGER, 'PUT', `${CLASSIC}/assertion`, older)).message, /is older/)
  })

  test('allows, lists and removes remodels; across brands only for managers of both', async () => {
    const assertion = modelText('acme-brand', 'successor')
    const policy = { registration: 'auto' }
    assert.equal((await ask(MANAGER, 'POST', '/models', { assertion, policy })).status, 201)
    const path = `${CLASSIC}/remodels`
    const to = 'acme-brand/successor'
    const allowed = await ask(MANAGER, 'POST', path, { to })
    assert.deepEqual(
      [allowed.status, allowed.body.from, allowed.body.to],
      [200, 'acme-brand/acme-classic', to],
    )
    assert.deepEqual((await ask(MANAGER, 'POST', path, { to })).body, allowed.body)
    assert.deepEqual((await ask('viewer', 'GET', path)).body.remodels, [allowed.body])
    const across = { to: 'other-brand/own' }
    assert.equal((await ask('operator', 'POST', path, across)).status, 200)
    assert.deepEqual((await ask(MANAGER, 'GET', path)).body.remodels, [allowed.body])
    const hidden = await ask(MANAGER, 'DELETE', `${path}/${across.to}`)
    assert.equal(refusalOf(hidden).code, 'no-such-record')
    assert.equal((await ask('operator', 'GET', path)).body.remodels.length, 2)
    // An account that sees the other brand, but does not manage it.
    const roles = [MANAGER, 'viewer other-brand']
    const both = await managerToken(service, ...roles)
    const back = await manage(service, both, 'POST', `${CLASSIC}/remodels`, { body: across })
    assert.equal(refusalOf(back).code, 'permission-denied')
    for (const body of [{ to: 'acme-brand/acme-classic' }, { to: 'x' }, { to: 'a/b/c' }, {}]) {
      assert.equal((await ask(MANAGER, 'POST', path, body)).status, 400, JSON.stringify(body))
    }
    assert.equal((await ask(MANAGER, 'POST', path, { to: 'acme-brand/none' })).status, 404)
    const one = `${path}/${to}`
    const changed = { headers: { 'if-match': '"another"' } }
    assert.equal(refusalOf(await ask(MANAGER, 'DELETE', one, undefined, changed)).code, 'version-mismatch')
    const gone = await ask(MANAGER, 'DELETE', one, undefined, { query: '?dry_run=true' })
    assert.deepEqual([gone.status, gone.body], [200, allowed.body])
    assert.deepEqual((await ask(MANAGER, 'DELETE', one)).body, allowed.body)
    assert.equal(refusalOf(await ask(MANAGER, 'DELETE', one)).code, 'no-such-record')
    // The other brand's remodel is removed with the model, without being shown.
    await ask(MANAGER, 'POST', path, { to })
    await ask('operator', 'POST', `${HIDDEN}/remodels`, { to })
    const removed = await ask(MANAGER, 'POST', `/models/${to}/remove`, {})
    assert.deepEqual(removed.body, { removed: to, api_keys: 0, remodels: 1 })
  })

  test('keeps a model that something needs', async () => {
    const { installation } = service
    const model = { brandId: 'acme-brand', model: 'acme-classic' }
    await importAllowList('serial\nA\n', { model, format: 'csv' }, installation)
    const neededBy = async () => {
      const answer = await ask(MANAGER, 'POST', `${CLASSIC}/remove`, {})
      assert.deepEqual([answer.status, refusalOf(answer).code], [409, 'still-referenced'])
      return answer.body.error_list[0].extra.by
    }
    assert.equal(await neededBy(), 'allow-list')
    const own = { deviceKeyId: 'key', origin: 'registration', registeredAt: new Date() } as const
    const device = newDevice({ ...model, ...own, status: 'rejected' })
    assert.ok(await installation.devices.add(device, Buffer.from('request')))
    assert.equal(await neededBy(), 'devices')
  })

  test('a manager of the brand disables a signing key; force requires a recent sign-in', async () => {
    const path = `/signing-keys/${testKey('brand').publicKey.id}/disable`
    const needy = { assertion: modelText('acme-brand', 'needy'), policy: { registration: 'auto' } }
    assert.equal((await ask(MANAGER, 'POST', '/models', needy)).status, 201)
    const needed = await ask(MANAGER, 'POST', path, {})
    assert.deepEqual([needed.status, refusalOf(needed).code], [409, 'still-referenced'])
    assert.deepEqual(needed.body.error_list[0].extra.by, ['acme-brand/needy'])
    const account = await addManager(service, MANAGER)
    const hourAgo = `browser ${new Date(service.now().getTime() - 3_600_000).toISOString()}`
    for (const [signedIn, code] of [
      [hourAgo, 'recent-sign-in-required'],
      ['agent line', 'person-required'],
    ] as const) {
      const token = await managementToken(service, account, {}, { signedIn })
      const answer = await manage(service, token, 'POST', path, { body: { force: true } })
      assert.equal(answer.body.error_list[0].code, code)
    }
    const stale = { headers: { 'if-match': '"another"' } }
    assert.equal(refusalOf(await ask(MANAGER, 'POST', path, { force: true }, stale)).code, 'version-mismatch')
    const disabled = await ask(MANAGER, 'POST', path, { force: true })
    assert.deepEqual([disabled.status, disabled.body.state], [200, 'disabled'], JSON.stringify(disabled.body))
    // Repeating it gives the same result, and does not require `force`.
    assert.deepEqual(disabled.body.stopped_models, ['acme-brand/needy'])
    const again = await ask(MANAGER, 'POST', path, {})
    assert.deepEqual(again.body, { ...disabled.body, stopped_models: [] })
    const { body } = await ask('viewer', 'GET', '/models/acme-brand/needy')
    assert.match(body.signer_fault, /^No key here can sign serials of acme-brand\/needy/)
    assert.equal((await actionsOf(testKey('brand').publicKey.id))[0], 'signing-key.disable')
    const other = `/signing-keys/${testKey('unknown').publicKey.id}/disable`
    const { code, message } = refusalOf(await ask(MANAGER, 'POST', other, { force: true }))
    const absent = refusalOf(await ask(MANAGER, 'POST', `/signing-keys/${'x'.repeat(64)}/disable`, {}))
    assert.equal(code, 'no-such-record')
    assert.equal(message.replace(testKey('unknown').publicKey.id, 'x'.repeat(64)), absent.message)
  })

  test('shows trust roots to callers who see everything', async () => {
    const { body } = await ask('operator', 'GET', '/trust-roots')
    assert.deepEqual(
      body.trust_roots.map((root: { account_id: string; origin: string }) => [root.account_id, root.origin]),
      [
        ['canonical', 'built in'],
        ['test-root', 'added'],
      ],
    )
    for (const role of ['viewer', MANAGER]) {
      assert.equal(refusalOf(await ask(role, 'GET', '/trust-roots')).code, 'permission-denied', role)
    }
  })
})
