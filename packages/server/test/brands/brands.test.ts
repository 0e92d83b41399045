/**
 * The operator's side of device identity: errors are refused when data is added, and checked again before it
 * is used. The contents of files are tested on one database.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import { trustRoots, verifyTrust } from '@ratafia/assertions'
import { signSerial } from '../../src/brands/keys/sign-serial.ts'
import { signerFor } from '../../src/brands/keys/signer-for.ts'
import { readEntries } from '../../src/brands/models/allow-list/import-allow-list.ts'
import { useApiKey } from '../../src/brands/models/api-keys/use-api-key.ts'
import { findHardwareIdentity } from '../../src/brands/models/hardware/find-hardware-identity.ts'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import { generateSerial } from '../../src/brands/models/serial-template.ts'
import { findAssertion, rootAssertions } from '../../src/brands/trust/trust.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import type { Stores } from '../../src/stores.ts'
import {
  addApiKey,
  addBrand,
  addModel,
  addSigningKey,
  addTrustRoots,
  allowRemodel,
  createDemoBrand,
  disableSigningKey,
  disallowRemodel,
  importAllowList,
  importHardwareIdentities,
  removeAllowed,
  removeBrand,
  removeModel,
  removeTrustRoot,
  revokeApiKey,
  setPolicy,
  updateModel,
} from '../support/as-operator.ts'
import {
  accountKeyFile,
  acmeFiles,
  addAcme,
  addTestRoot,
  brandDeps,
  brandFiles,
  signedFile,
  testKey,
  vector,
} from '../support/brands.ts'
import { eachDatabase, onOne } from '../support/databases.ts'

const ACME = { brandId: 'acme-brand', model: 'acme-classic' }
const AUTO = { registration: 'auto', ...DEFAULT_POLICY } as const
const GADGET = { brandId: 'acme-brand', model: 'acme-gadget' }
const gadgetFile = vector('world/model-acme-gadget')
const rootFiles = brandFiles('test-root', 'root')
const refuses = (what: Promise<unknown>, message: RegExp, code = 'invalid-field') =>
  assert.rejects(what, { code, message })

eachDatabase((kind, open) => {
  const { testOnce } = onOne(kind)
  test('refuses a brand whose chain does not reach a root, and stores nothing', async () => {
    const deps = brandDeps(await open())
    await refuses(
      addBrand(acmeFiles, deps),
      /^The account assertion acme-brand is not valid: no account-key assertion for .* trust add`\.$/,
    )
    assert.deepEqual(await deps.brands.list(), [])
    assert.equal(await deps.assertions.find('account', 'acme-brand'), undefined)
  })

  test('a root can also be a brand', async () => {
    const deps = brandDeps(await open())
    await addTestRoot(deps)
    await addBrand(rootFiles, deps)
    const headers = { series: '16', 'brand-id': 'test-root', model: 'own', classic: 'true' }
    const file = signedFile('model', { ...headers, timestamp: '2021-01-01T00:00:00Z' })
    await addModel({ file, policy: AUTO }, deps)
    const model = { brandId: 'test-root', model: 'own' }
    const deviceKey = testKey('device').publicKey
    const { assertion } = await signSerial({ ...model, serial: '1', deviceKey, revision: 0 }, deps)
    assert.equal(assertion.authorityId, 'test-root')
    await disableSigningKey({ keyId: testKey('root').publicKey.id, force: true }, deps)
    await removeTrustRoot({ accountId: 'test-root', force: true }, deps)
  })

  testOnce('refuses an assertion that another account signed as a trust root', async () => {
    const deps = brandDeps(await open())
    const brand = [vector('world/account-acme-brand'), vector('world/account-key-acme-brand')]
    await refuses(
      addTrustRoots(brand, deps),
      /^The account assertion acme-brand is not a trust root: test-root signed it/,
    )
    assert.deepEqual(await deps.assertions.roots(), [])
  })

  const mistakes: readonly [what: string, files: () => Parameters<typeof addBrand>[0], message: RegExp][] = [
    [
      "a private key that doesn't match the account-key",
      () => ({ ...acmeFiles, signingKey: vector('world/keys/device.pem') }),
      /^world\/keys\/device\.pem is the private half of key tOXobo_.* Pass the key and the assertion that belong together\.$/,
    ],
    [
      'an account-key of another account',
      () => ({ ...acmeFiles, accountKey: vector('world/account-key-generic') }),
      /^The account-key .* belongs to generic, not to acme-brand\. /,
    ],
    [
      'an expired account-key',
      () => ({
        ...acmeFiles,
        accountKey: vector('valid/account-key-expired'),
        signingKey: vector('world/keys/expired.pem'),
      }),
      /^The key .* of acme-brand cannot sign serials: .*has expired/,
    ],
    [
      'constraints that allow no serials',
      () => ({
        ...acmeFiles,
        accountKey: accountKeyFile('acme-brand', testKey('device'), {
          constraints: [{ headers: { type: 'model' } }],
        }),
        signingKey: vector('world/keys/device.pem'),
      }),
      /its constraints allow no serial assertion/,
    ],
    [
      'a private key that is too small to be safe',
      () => ({
        ...acmeFiles,
        accountKey: accountKeyFile('acme-brand', testKey('small1024')),
        signingKey: vector('world/keys/small1024.pem'),
      }),
      /has 1024 bits/,
    ],
    [
      'a file that is not a key',
      () => ({ ...acmeFiles, signingKey: vector('world/account-acme-brand') }),
      /^world\/account-acme-brand has no private key that can be read\. Give an RSA private key as PEM or armored PGP\.$/,
    ],
    [
      'an assertion of a different type',
      () => ({ ...acmeFiles, account: vector('world/model-acme-classic') }),
      /^world\/model-acme-classic has no account assertion, only model\.$/,
    ],
  ]
  for (const [what, files, message] of mistakes) {
    testOnce(`refuses to add ${what}`, async () => {
      const deps = brandDeps(await open())
      await addTestRoot(deps)
      await refuses(addBrand(files(), deps), message)
      assert.deepEqual(await deps.brands.keys('acme-brand'), [])
    })
  }
})

eachDatabase((kind, open) => {
  const { testOnce } = onOne(kind)
  let deps: Stores
  before(async () => {
    deps = brandDeps(await open())
    await addAcme(deps)
  })
  const serial = (more: object = {}) =>
    signSerial(
      { ...ACME, serial: 'SN-1', deviceKey: testKey('device').publicKey, revision: 0, ...more },
      deps,
    )

  test('a serial that is signed here is trusted wherever the root is trusted', async () => {
    const { assertion } = await serial({ revision: 3, body: Buffer.from('mac: x\n') })
    const chain = [
      await findAssertion('account-key', [assertion.signKeyId], deps),
      await findAssertion('account', ['acme-brand'], deps),
    ]
    const context = {
      roots: trustRoots(await rootAssertions(deps)),
      now: new Date(),
      find: (type: string, key: readonly string[]) =>
        chain.find((one) => one?.type === type && one.primaryKey.join('/') === key.join('/')),
    }
    const { fields, revision, body } = await verifyTrust(assertion, context)
    assert.deepEqual(
      [fields.brandId, fields.model, fields.serial, revision, Buffer.from(body).toString()],
      ['acme-brand', 'acme-classic', 'SN-1', 3, 'mac: x\n'],
    )
    assert.equal(fields.deviceKeyId, testKey('device').publicKey.id)
  })

  test('checks everything again before each signature, so an expired key signs nothing', async () => {
    const own = brandDeps(await open(), () => new Date())
    const until = accountKeyFile('acme-brand', testKey('device2'), { until: '2030-01-01T00:00:00Z' })
    await addSigningKey({ signingKey: vector('world/keys/device2.pem'), accountKey: until }, own)
    await disableSigningKey({ keyId: testKey('brand').publicKey.id, force: false }, own)
    assert.equal((await signerFor(ACME, own)).key.publicKey.id, testKey('device2').publicKey.id)
    await refuses(
      signerFor(ACME, { ...own, clock: () => new Date('2030-01-01T00:00:00Z') }),
      /^No key here can sign serials of acme-brand\/acme-classic\. .*has expired.*Only Canonical signs serials for generic\.$/,
    )
    await addSigningKey({ signingKey: vector('world/keys/brand.pem') }, own)
    await disableSigningKey({ keyId: testKey('device2').publicKey.id, force: false }, own)
  })

  test("before each signature, checks that the key's constraints allow this serial", async () => {
    const own = brandDeps(await open())
    const key = accountKeyFile('acme-brand', testKey('unknown'), {
      constraints: [{ headers: { type: 'serial', model: 'acme-classic', serial: 'SN-[0-9]+' } }],
    })
    await addSigningKey({ signingKey: vector('world/keys/unknown.pem'), accountKey: key }, own)
    await disableSigningKey({ keyId: testKey('brand').publicKey.id, force: false }, own)
    assert.equal((await serial()).assertion.fields.serial, 'SN-1')
    await refuses(serial({ serial: 'other' }), /constraints of key .* do not allow this serial/)
    await addSigningKey({ signingKey: vector('world/keys/brand.pem') }, own)
    await disableSigningKey({ keyId: testKey('unknown').publicKey.id, force: false }, own)
  })

  test('another account signs if the model names it in serial-authority', async () => {
    await addBrand(brandFiles('generic', 'generic'), deps)
    const stopped = await disableSigningKey({ keyId: testKey('brand').publicKey.id, force: false }, deps)
    assert.deepEqual(stopped, [])
    const { assertion, signer } = await serial()
    assert.deepEqual([assertion.authorityId, signer.authorityId], ['generic', 'generic'])
    await refuses(
      disableSigningKey({ keyId: testKey('generic').publicKey.id, force: false }, deps),
      /^Without it, serials of acme-brand\/acme-classic could not be signed\. .* --force\.$/,
      'still-referenced',
    )
    await refuses(
      removeBrand('generic', deps),
      /^acme-brand\/acme-classic may have serials that generic signed: /,
      'still-referenced',
    )
    await addSigningKey({ signingKey: vector('world/keys/brand.pem') }, deps)
    assert.equal((await serial()).assertion.authorityId, 'acme-brand')
  })

  test('a private key is stored sealed, and only for its own row', async () => {
    const { query } = await open()
    const rows = await query.selectFrom('signing_key').selectAll().execute()
    const der = testKey('brand').keyObject.export({ format: 'der', type: 'pkcs8' })
    for (const { sealed } of rows) assert.ok(!Buffer.from(sealed).includes(der.subarray(40, 72)))
    const [one, other] = ['brand', 'generic'].map((name) =>
      rows.find(({ key_id }) => key_id === testKey(name).publicKey.id),
    )
    assert.ok(one && other)
    const put = (sealed: Uint8Array) =>
      query.updateTable('signing_key').set({ sealed }).where('key_id', '=', one.key_id).execute()
    await put(other.sealed)
    await assert.rejects(serial(), { name: 'KeyringError', code: 'damaged-key' })
    await put(one.sealed)
    await serial()
  })

  test('a model accepts only newer revisions of its brand that a key can sign for', async () => {
    await refuses(
      addModel({ file: vector('world/model-acme-classic'), policy: AUTO }, deps),
      /already exists/,
      'already-exists',
    )
    await refuses(
      addModel({ file: vector('canonical/model-generic-classic'), policy: AUTO }, deps),
      /Only Canonical signs/,
    )
    const revised = (revision: string, store: string) =>
      signedFile(
        'model',
        {
          'authority-id': 'acme-brand',
          series: '16',
          'brand-id': 'acme-brand',
          model: 'acme-classic',
          classic: 'true',
          revision,
          store,
          'serial-authority': ['generic'],
          timestamp: '2021-01-01T00:00:00Z',
        },
        { key: testKey('brand') },
      )
    const second = revised('2', 'two')
    await updateModel(second, deps)
    await refuses(updateModel(revised('1', 'one'), deps), /revision 1 is older/)
    await refuses(updateModel(revised('2', 'other'), deps), /revision 2 is stored already/)
    await updateModel(second, deps)
    const { model } = await signerFor(ACME, deps)
    assert.deepEqual([model.revision, model.fields.store], [2, 'two'])
  })

  test('a model that breaks a later rule can still be shown and replaced', async () => {
    const { bytes } = vector('world/model-acme-classic')
    const old = Buffer.from(bytes).toString().replace('classic: true', 'classic: true\ngrade: none')
    const primaryKey = '16/acme-brand/old'
    const encoded = Buffer.from(old.replace('model: acme-classic', 'model: old'))
    await deps.assertions.put([{ type: 'model', primaryKey, revision: 0, encoded }], new Date())
    const found = await findAssertion('model', ['16', 'acme-brand', 'old'], deps)
    assert.equal(found?.fields.grade, 'none')
    await refuses(
      addModel({ file: { name: 'old', bytes: encoded }, policy: AUTO }, deps),
      /^old contains no readable assertion: model: header "grade" is not allowed without "snaps"\.$/,
    )
  })

  test('a template gives each number once, however many requests there are at once', async () => {
    const model = await setPolicy(ACME, { serialTemplate: 'AC-{number:4}' }, deps)
    const serials = await Promise.all(Array.from({ length: 50 }, () => generateSerial(model, deps)))
    assert.equal(new Set(serials).size, 50)
    assert.deepEqual([...serials].sort()[49], 'AC-0050')
    const back = await setPolicy(ACME, { serialTemplate: null }, deps)
    assert.match(await generateSerial(back, deps), /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    await refuses(setPolicy(ACME, { serialTemplate: 'x' }, deps), /is not a template/)
    assert.deepEqual((await setPolicy(ACME, {}, deps)).policy, (await deps.models.find(ACME))?.policy)
  })

  test('two concurrent changes of a policy are both stored, and neither reverts the other', async () => {
    await Promise.all([
      setPolicy(ACME, { quarantineClones: true }, deps),
      setPolicy(ACME, { proposedSerial: 'required' }, deps),
      setPolicy(ACME, { takenSerial: 'reissue' }, deps),
    ])
    const set = await deps.models.find(ACME)
    assert.deepEqual(
      [set?.policy.quarantineClones, set?.policy.proposedSerial, set?.policy.takenSerial],
      [true, 'required', 'reissue'],
    )
    await setPolicy(ACME, AUTO, deps)
  })

  test('only allowed remodels are accepted, and only while they are allowed', async () => {
    await addModel({ file: gadgetFile, policy: AUTO }, deps)
    for (let times = 0; times < 2; times++) await allowRemodel({ from: ACME, to: GADGET }, deps)
    assert.equal(await deps.models.isRemodelAllowed(ACME, GADGET), true)
    assert.equal(await deps.models.isRemodelAllowed(GADGET, ACME), false)
    await refuses(allowRemodel({ from: ACME, to: ACME }, deps), /is the same model/)
    const unknown = { brandId: 'acme-brand', model: 'nothing' }
    await refuses(allowRemodel({ from: ACME, to: unknown }, deps), /^There is no model/, 'no-such-record')
    await disallowRemodel({ from: ACME, to: GADGET }, deps)
    assert.equal(await deps.models.isRemodelAllowed(ACME, GADGET), false)
    await refuses(
      disallowRemodel({ from: ACME, to: GADGET }, deps),
      /^Devices of acme-brand\/acme-classic can't become acme-brand\/acme-gadget anyway\./,
      'no-such-record',
    )
  })

  test('the allow-list matches by key, by serial number, and by both together', async () => {
    const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(64))
    const csv = `serial,device_key_id\nSN-1,\nSN-2,${one}\n,${two}\n`
    const options = { model: ACME, format: 'csv' } as const
    assert.deepEqual(await importAllowList(csv, options, deps), { entries: 3, added: 3 })
    assert.deepEqual(await importAllowList(csv, options, deps), { entries: 3, added: 0 })
    const allowed = (serial: string | null, deviceKeyId = '') =>
      deps.allowList.has(ACME, { serial, deviceKeyId })
    assert.equal(await allowed('SN-1', three), true)
    assert.equal(await allowed('SN-2', one), true)
    assert.equal(await allowed('SN-2', three), false)
    assert.equal(await allowed('SN-9', two), true)
    assert.equal(await allowed(null, two), true)
    assert.equal(await allowed(null, one), false)
    assert.equal(await allowed('', three), false)
    assert.equal(await allowed('SN-1', ''), true)
  })

  test('the allow-list removes a serial number with any key, a key alone, one entry, or all', async () => {
    const model = GADGET
    const [one = '', two = ''] = ['1', '2'].map((digit) => digit.repeat(64))
    const fill = async (csv: string) => {
      await deps.allowList.clear(model)
      await importAllowList(`serial,device_key_id\n${csv}`, { model, format: 'csv' }, deps)
    }
    const left = async () => {
      const entries = await deps.allowList.list(model, { limit: 100 })
      return entries.map(({ serial, deviceKeyId }) => `${serial ?? ''},${deviceKeyId ?? ''}`).sort()
    }
    const remove = (serial: string | null, deviceKeyId: string | null) =>
      removeAllowed({ model, entries: [{ serial, deviceKeyId }] }, deps)
    const csv = `A,\nA,${one}\nB,${one}\nB,${two}\n,${one}\n`
    await fill(csv)
    assert.equal(await remove('A', null), 2)
    assert.deepEqual(await left(), [`,${one}`, `B,${one}`, `B,${two}`].sort())
    assert.equal(await remove('B', two), 1)
    assert.equal(await remove(null, one), 1)
    assert.deepEqual(await left(), [`B,${one}`])
    for (const [serial, key] of [
      ['A', null],
      ['B', two],
      [null, one],
    ] as const) {
      await refuses(remove(serial, key), /^Nothing on the allow-list of acme-brand\/acme-gadget matches/)
    }
    await fill(csv)
    assert.equal(await removeAllowed({ model, entries: readEntries(`serial\nA\nB\n`, 'csv') }, deps), 4)
    assert.deepEqual(await left(), [`,${one}`])
    // More entries than one statement can remove.
    await fill(Array.from({ length: 10_001 }, (_, number) => `S${number},\n`).join(''))
    assert.equal(await removeAllowed({ model, entries: 'all' }, deps), 10_001)
    assert.deepEqual(await left(), [])
    await refuses(removeAllowed({ model, entries: 'all' }, deps), /^Nothing /)
  })

  for (const [format, text, message] of [
    ['csv', 'a,b\n', /^line 1: this is not a header line/],
    ['csv', 'serial\nA\n\nB/C\n', /^line 4: "serial" is not a serial number/],
    ['csv', 'serial\nA\nAC--bad\n', /^line 3: no device can get the serial number "AC--bad"\./],
    ['csv', 'serial\nA\nB\nA\n', /^line 4: line 2 has the same entry\.$/],
    [
      'csv',
      'serial\nB/C\nA\nA\n',
      /^line 2: .*\nline 4: line 3 has the same entry\.\nNothing was imported\.$/,
    ],
    ['json', '[{"serial":"A"},{"device_key_id":"short"}]', /^item 2: "device_key_id" is not the id of a key/],
    ['json', '[{"serial":5}]', /^item 1: "serial" is not a serial number/],
    ['json', '{}', /^The file is not a JSON list/],
  ] as const) {
    testOnce(`refuses the whole allow-list ${JSON.stringify(text)}`, async () => {
      const before = await deps.allowList.list(ACME, { limit: 100 })
      await assert.rejects(importAllowList(text, { model: ACME, format }, deps), {
        name: 'ImportError',
        message,
      })
      assert.deepEqual(await deps.allowList.list(ACME, { limit: 100 }), before)
    })
  }

  test('hardware identities are found by either digest, unless their chain is broken', async () => {
    const file = vector('extra-head/hardware-identity')
    assert.equal(await importHardwareIdentities([file], deps), 1)
    assert.equal(await importHardwareIdentities([file], deps), 1)
    const [stored] = await deps.hardwareIdentities.list({ limit: 10 })
    assert.ok(stored)
    for (const digest of [stored.keySha2, stored.keySha3]) {
      assert.equal((await findHardwareIdentity(digest, deps))?.fields.hardwareId, 'HW-1')
    }
    assert.equal(await findHardwareIdentity('x'.repeat(64), deps), undefined)
    assert.equal(await findHardwareIdentity('', deps), undefined)
    const late = { ...deps, clock: () => new Date('2019-01-01T00:00:00Z') }
    assert.equal(await findHardwareIdentity(stored.keySha3, late), undefined)
    await refuses(
      importHardwareIdentities([vector('world/model-acme-classic')], deps),
      /has a model assertion/,
    )
  })

  test('a root is removed only by force while brands depend on it, and then nothing is signed', async () => {
    const remove = (accountId: string, force = false) => removeTrustRoot({ accountId, force }, deps)
    await refuses(remove('canonical', true), /is built in and cannot be removed/)
    await assert.rejects(remove('unknown'), {
      code: 'no-such-record',
      message: 'There is no trust root unknown. `ratafia trust list` shows them.',
    })
    await refuses(remove('test-root'), /^acme-brand, generic are trusted only through test-root/)
    assert.deepEqual(await remove('test-root', true), ['acme-brand', 'generic'])
    await refuses(serial(), /is no longer trusted/)
    await addTestRoot(deps)
    await serial()
  })

  testOnce('a demo brand signs serials, and the next needs another name', async () => {
    const url = 'http://127.0.0.1:8080'
    const keep = async () => {}
    const demo = await createDemoBrand({ name: 'try', url, keep }, deps)
    const made = await serial(demo.model)
    assert.equal(made.assertion.authorityId, 'try-brand')
    assert.deepEqual(
      demo.files.filter(({ secret }) => secret).map(({ name }) => name),
      ['root.pem', 'brand.pem'],
    )
    await refuses(createDemoBrand({ name: 'try', url, keep }, deps), /--name/)
    await refuses(createDemoBrand({ name: 'A b', url, keep }, deps), /lower-case letters/)
  })
})

eachDatabase((_kind, open) => {
  let now = new Date('2026-11-20T00:00:00Z')
  let deps: Stores
  before(async () => {
    deps = brandDeps(await open(), () => now)
    await addAcme(deps)
  })
  const make = async (more: { expiresAt?: Date; useLimit?: number } = {}) =>
    addApiKey({ model: ACME, label: 'line 1', expiresAt: null, useLimit: null, ...more }, deps)
  const use = (text?: string, model = ACME) => useApiKey({ text, model }, deps, deps.clock())
  const refusal = async (text?: string, model = ACME) => {
    const verdict = await use(text, model)
    return verdict.accepted ? 'accepted' : verdict.message
  }

  test('a model that never had an API key does not require one', async () => {
    assert.deepEqual(await use(), { accepted: true, key: undefined })
    assert.deepEqual(await use('anything'), { accepted: true, key: undefined })
  })

  test('an API key with a limit of uses never exceeds it, with 20 requests at once', async () => {
    const { text, key } = await make({ useLimit: 7 })
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => use(text)))
    assert.equal(verdicts.filter(({ accepted }) => accepted).length, 7)
    assert.equal((await deps.apiKeys.list(ACME)).find(({ id }) => id === key.id)?.uses, 7)
    assert.equal(await refusal(text), 'The API key was used 7 times, which is its limit.')
  })

  test('only the hash of an API key is stored', async () => {
    const { text } = await make()
    assert.match(text, /^ratafia_ak_[A-Za-z0-9_-]{43}$/)
    const rows = await (await open()).query.selectFrom('api_key').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(text.slice(11)))
    assert.ok(rows.every(({ key_hash }) => key_hash.length === 32))
  })

  test('refuses expired, revoked, foreign and missing keys, and all devices after the last key is revoked', async () => {
    const soon = await make({ expiresAt: new Date(now.getTime() + 1000) })
    assert.equal((await use(soon.text)).accepted, true)
    now = new Date(now.getTime() + 1000)
    assert.match(await refusal(soon.text), /has expired/)
    const key = await make()
    await revokeApiKey(key.key.id, deps)
    const again = await revokeApiKey(key.key.id, { ...deps, clock: () => new Date(now.getTime() + 5) })
    assert.deepEqual(again.revokedAt, now)
    assert.match(await refusal(key.text), /is revoked/)
    for (const { id } of await deps.apiKeys.list(ACME)) await revokeApiKey(id, deps)
    assert.match(await refusal(), /requires an API key/)
    assert.match(await refusal(`ratafia_ak_${'x'.repeat(43)}`), /does not belong to this model/)
    assert.match(await refusal('x'), /does not belong to this model/)
    await addModel({ file: gadgetFile, policy: AUTO }, deps)
    await addApiKey({ model: GADGET, label: 'x', expiresAt: null, useLimit: null }, deps)
    assert.match(await refusal((await make()).text, GADGET), /does not belong to this model/)
    await refuses(revokeApiKey('nope', deps), /^There is no API key nope\./, 'no-such-record')
    await refuses(make({ expiresAt: now }), /would have expired/)
  })
})

eachDatabase((_kind, open) => {
  test('a model or brand that was added by mistake can be removed completely', async () => {
    const deps = brandDeps(await open())
    await addAcme(deps)
    const [file, policy] = [gadgetFile, AUTO] as const
    const model = GADGET
    await addModel({ file, policy }, deps)
    await allowRemodel({ from: ACME, to: model }, deps)
    const { text } = await addApiKey({ model, label: 'one', expiresAt: null, useLimit: null }, deps)
    await importAllowList('serial\nA\n', { model, format: 'csv' }, deps)
    await refuses(
      removeModel(model, deps),
      /^The allow-list of .* `ratafia allow-list remove --all --model acme-brand\/acme-gadget`\.$/,
      'still-referenced',
    )
    assert.equal((await deps.apiKeys.list(model)).length, 1)
    await deps.allowList.clear(model)
    assert.deepEqual(await removeModel(model, deps), { apiKeys: 1, remodels: 1 })
    assert.equal(await deps.models.find(model), undefined)
    assert.equal(await deps.assertions.find('model', '16/acme-brand/acme-gadget'), undefined)
    assert.equal(await deps.models.isRemodelAllowed(ACME, model), false)
    assert.equal(
      (await useApiKey({ text, model }, deps, deps.clock())).accepted && 'without a key',
      'without a key',
    )
    await refuses(removeModel(model, deps), /^There is no model acme-brand\/acme-gadget\./, 'no-such-record')
    await addModel({ file, policy }, deps)

    const brand = 'acme-brand'
    await refuses(
      removeBrand(brand, deps),
      /^The brand acme-brand has models: .*acme-gadget.* `ratafia models remove`\.$/,
      'still-referenced',
    )
    assert.equal((await deps.brands.keys(brand)).length, 1)
    for (const { brandId, model } of await deps.models.list()) {
      await removeModel({ brandId, model }, deps)
    }
    const [key = '', ...more] = await removeBrand(brand, deps)
    assert.deepEqual(more, [])
    for (const [type, id] of [
      ['account', brand],
      ['account-key', key],
    ] as const) {
      assert.equal(await deps.assertions.find(type, id), undefined, type)
    }
    assert.deepEqual([await deps.brands.find(brand), await deps.brands.keys(brand)], [undefined, []])
    await refuses(removeBrand(brand, deps), /^There is no brand acme-brand\./, 'no-such-record')
    await refuses(addModel({ file, policy }, deps), /does not have the model.s brand acme-brand yet/)
    await addAcme(deps)
  })

  test("a model or brand of a device can't be removed, regardless of the device's status", async () => {
    const deps = brandDeps(await open())
    const own = { deviceKeyId: 'key', origin: 'registration', registeredAt: new Date() } as const
    const device = newDevice({ ...ACME, ...own, status: 'rejected' })
    assert.ok(await deps.devices.add(device, Buffer.from('request')))
    await refuses(
      removeModel(ACME, deps),
      /^The register has devices of acme-brand\/acme-classic, .* --registration allow-list`, and keep the list empty\.$/,
      'still-referenced',
    )
    const other = { ...device, id: newDeviceId(new Date()), brandId: 'test-root' }
    assert.ok(await deps.devices.add(other, Buffer.from('request')))
    await addBrand(rootFiles, deps)
    await refuses(
      removeBrand('test-root', deps),
      /^The register has devices of test-root, .*`ratafia signing-keys disable`/,
      'still-referenced',
    )
    assert.equal((await deps.brands.keys('test-root')).length, 1)
  })
})
