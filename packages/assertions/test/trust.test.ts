// Guarantee: trust comes only from a root, and every link of the chain is checked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AssertionError,
  type AssertionErrorCode,
  decode,
  encode,
  encodePublicKey,
  type HeaderInput,
  sign,
  type TrustContext,
  type TypeName,
  trustRoots,
  type UnverifiedAssertion,
  verifyTrust,
} from '../src/index.ts'
import { decoded, findIn, RECORDED, testKey, world } from './vectors.ts'

type Extra = Readonly<Record<string, HeaderInput>>

const signedBy = <Type extends TypeName>(key: string, type: Type, headers: Extra, body = '') =>
  sign({ type, headers, body }, testKey(key), { signedAt: RECORDED })

const account = (id: string, by: string, authority: string): UnverifiedAssertion<'account'> =>
  signedBy(by, 'account', {
    'authority-id': authority,
    'account-id': id,
    'display-name': id,
    validation: 'unproven',
    timestamp: '2020-06-01T00:00:00Z',
  })

const accountKey = (of: string, id: string, by: string, authority: string, extra: Extra = {}) => {
  const { publicKey } = testKey(of)
  const headers = {
    'authority-id': authority,
    'public-key-sha3-384': publicKey.id,
    'account-id': id,
    since: '2020-01-01T00:00:00Z',
    ...extra,
  }
  return signedBy(by, 'account-key', headers, encodePublicKey(publicKey))
}

const serial = (key: string, extra: Extra = {}) => {
  const { headers } = decoded('valid/serial')
  return signedBy(key, 'serial', { ...Object.fromEntries(headers), ...extra } as Extra)
}

/** The recorded world with these assertions, which replace those with the same reference. */
const knowing = (
  assertions: readonly UnverifiedAssertion[],
  rest: Partial<TrustContext> = {},
): TrustContext => {
  const { known, ...context } = world()
  return { ...context, find: findIn([...assertions, ...known]), ...rest }
}

const refused = (
  assertion: UnverifiedAssertion,
  context: TrustContext,
  code: AssertionErrorCode,
  names?: string,
) =>
  assert.rejects(verifyTrust(assertion, context), (error) => {
    assert.ok(error instanceof AssertionError)
    assert.equal(error.code, code, error.message)
    if (names !== undefined) assert.ok(error.message.includes(names), error.message)
    return true
  })

const BRAND = testKey('brand').publicKey.id
const ROOT = testKey('root').publicKey.id
const UNKNOWN = testKey('unknown').publicKey.id

test('returns an assertion whose chain leads to a root, and looks nothing up twice', async () => {
  const asked: string[] = []
  const { known, ...context } = world()
  const find = findIn(known)
  const assertion = decoded('valid/serial')
  const trusted = await verifyTrust(assertion, {
    ...context,
    find: (type, key) => {
      asked.push(`${type} ${key}`)
      return find(type, key)
    },
  })
  assert.equal(trusted, assertion)
  assert.deepEqual(asked, [`account-key ${BRAND}`, 'account acme-brand'])
})

test('does not check an assertion again that passed before, and never remembers a refused one', async () => {
  const checked = new Set<UnverifiedAssertion>()
  const serial = decoded('valid/serial')
  const { known, ...context } = world()
  const asked: string[] = []
  const find = (type: TypeName, key: readonly string[]) => {
    asked.push(type)
    return findIn(known)(type, key)
  }
  await verifyTrust(serial, { ...context, find, checked })
  assert.deepEqual([...checked].map(({ type }) => type).sort(), ['account', 'account-key', 'serial'])
  asked.length = 0
  assert.equal(await verifyTrust(serial, { ...context, find, checked }), serial)
  assert.deepEqual(asked, [])

  const forged = decode(Buffer.from(encode(serial)).toString().replace('serial: ', 'serial: X'))
  await refused(forged, { ...context, find, checked }, 'bad-signature')
  assert.ok(!checked.has(forged))
})

test('throws the error of a failed look-up, instead of refusing the assertion', async () => {
  const away = new Error('the database is unavailable')
  const find = async () => {
    throw away
  }
  await assert.rejects(verifyTrust(decoded('valid/serial'), { ...world(), find }), away)
})

test('throws a TypeError if a look-up returns a different assertion', async () => {
  const find = () => decoded('valid/account-key-generic')
  await assert.rejects(verifyTrust(decoded('valid/serial'), { ...world(), find }), TypeError)
})

test('refuses a chain that leads to a different root', async () => {
  const roots = trustRoots(
    ['canonical/account-canonical', 'canonical/account-key-canonical-root'].map(decoded),
  )
  await refused(decoded('valid/serial'), knowing([], { roots }), 'unknown-key', ROOT)
})

test('checks an assertion that only looks like a root', async () => {
  for (const [name, from, to] of [
    ['account-test-root', 'validation: ', 'validation: x'],
    ['account-key-test-root', 'since: 2020', 'since: 2019'],
  ] as const) {
    const real = decoded(`valid/${name}`)
    await verifyTrust(real, knowing([]))
    const text = Buffer.from(encode(real)).toString()
    assert.ok(text.includes(from))
    await refused(decode(text.replace(from, to)), knowing([]), 'bad-signature')
  }
})

test('does not trust a foreign root that the look-up returns', async () => {
  const roots = trustRoots(
    ['canonical/account-canonical', 'canonical/account-key-canonical-root'].map(decoded),
  )
  const all = ['valid/account-test-root', 'valid/account-key-test-root'].map(decoded)
  await refused(decoded('valid/serial'), knowing(all, { roots }), 'untrusted', ROOT)
})

test('a key cannot vouch for itself', async () => {
  const key = accountKey('unknown', 'acme-brand', 'unknown', 'test-root')
  await refused(serial('unknown'), knowing([key]), 'untrusted', UNKNOWN)
})

test('refuses keys that vouch for each other', async () => {
  const keys = [
    accountKey('unknown', 'acme-brand', 'device2', 'acme-brand'),
    accountKey('device2', 'acme-brand', 'unknown', 'acme-brand'),
  ]
  await refused(serial('unknown'), knowing(keys), 'untrusted', UNKNOWN)
})

test('only a trusted account can register keys and accounts, so a brand cannot', async () => {
  const key = accountKey('unknown', 'acme-brand', 'brand', 'acme-brand')
  await refused(serial('unknown'), knowing([key]), 'untrusted-signer', '"acme-brand"')
  const other = account('other', 'brand', 'acme-brand')
  await refused(other, knowing([]), 'untrusted-signer', '"other"')
})

test('a trusted account can have further keys, signed with a trusted one', async () => {
  const further = accountKey('unknown', 'test-root', 'root', 'test-root')
  const key = accountKey('device2', 'acme-brand', 'unknown', 'test-root')
  await verifyTrust(serial('device2'), knowing([further, key]))
})

test('a key can sign only for its own account', async () => {
  const message = `the key "${BRAND}" belongs to "acme-brand", not to "generic"`
  await refused(serial('brand', { 'authority-id': 'generic' }), knowing([]), 'wrong-key', message)
})

test('refuses a forged account-key of the brand, although its id is right', async () => {
  const real = decoded('valid/account-key-acme-brand')
  const text = Buffer.from(encode(real)).toString().replace('since: 2020', 'since: 2019')
  await refused(decoded('valid/serial'), knowing([decode(text)]), 'bad-signature')
})

test('refuses the keys of an account that was changed', async () => {
  const real = decoded('valid/account-acme-brand')
  const text = Buffer.from(encode(real)).toString().replace('unproven', 'verified')
  await refused(decoded('valid/serial'), knowing([decode(text)]), 'bad-signature')
})

test('a key is valid at since, and not valid at until', async () => {
  const until = new Date('2021-01-01T00:00:00Z')
  const validity = { since: '2020-02-01T00:00:00Z', until: '2021-01-01T00:00:00Z' }
  const key = accountKey('brand', 'acme-brand', 'root', 'test-root', validity)
  const at = (now: Date) => verifyTrust(decoded('valid/serial'), knowing([key], { now }))
  await at(new Date(until.getTime() - 1))
  await at(new Date('2020-02-01T00:00:00Z'))
  const described = `the key "${BRAND}" of "acme-brand" (valid from 2020-02-01T00:00:00Z until 2021-01-01T00:00:00Z)`
  await assert.rejects(at(until), {
    code: 'key-expired',
    message: `${described} has expired: it is now 2021-01-01T00:00:00Z`,
  })
  await assert.rejects(at(new Date('2020-01-31T23:59:59Z')), {
    code: 'key-not-yet-valid',
    message: `${described} is not valid yet: it is now 2020-01-31T23:59:59Z`,
  })
})

test("the assertion's timestamp must be within the key's validity, before until", async () => {
  const key = accountKey('brand', 'acme-brand', 'root', 'test-root', { until: '2099-01-01T00:00:00Z' })
  await verifyTrust(serial('brand', { timestamp: '2098-12-31T23:59:59Z' }), knowing([key]))
  await refused(
    serial('brand', { timestamp: '2099-01-01T00:00:00Z' }),
    knowing([key]),
    'timestamp-outside-validity',
    '2099-01-01T00:00:00Z',
  )
})

test("one entry of the key's constraints must allow the assertion", async () => {
  const message = `the constraints of key "${BRAND}" of "acme-brand" do not allow this serial assertion`
  const model = (pattern: HeaderInput) => ({ headers: { type: 'serial', model: pattern } })
  const rows: readonly (readonly [entries: readonly HeaderInput[], allowed: boolean])[] = [
    [[{ headers: { type: 'serial' } }], true],
    [[{ headers: { type: 'model' } }], false],
    [[{ headers: { type: 'model' } }, { headers: { type: 'serial' } }], true],
    [[model('acme-classic')], true],
    [[model('acme-.*')], true],
    // Patterns are anchored, so one for the beginning is not enough.
    [[model('acme')], false],
    [[model('a|acme-classic')], true],
    [[model(['other', 'acme-.*'])], true],
    [[model(['other'])], false],
    [[{ headers: { type: 'serial', 'not-there': '.*' } }], false],
    [[{ headers: { type: 'serial', model: { nested: '.*' } } }], false],
  ]
  for (const [entries, allowed] of rows) {
    const key = accountKey('brand', 'acme-brand', 'root', 'test-root', { constraints: entries })
    assert.equal(key.format, 1)
    const checked = verifyTrust(decoded('valid/serial'), knowing([key]))
    if (allowed) await checked
    else await assert.rejects(checked, { code: 'not-allowed', message }, JSON.stringify(entries))
  }
})

test('a serial signed by another account needs a trusted model of the brand that names the account', async () => {
  const context = knowing([])
  await verifyTrust(decoded('valid/serial-generic'), context)
  const model = decoded('valid/model-acme-classic')
  const headers = { ...Object.fromEntries(model.headers), 'serial-authority': ['acme-brand'] } as Extra
  const silent = signedBy('brand', 'model', headers)
  await refused(
    decoded('valid/serial-generic'),
    knowing([silent]),
    'authority-not-allowed',
    '"generic" may not sign serials of "acme-brand/acme-classic"',
  )
  const changed = decode(Buffer.from(encode(model)).toString().replace('timestamp: 2020', 'timestamp: 2021'))
  await assert.rejects(verifyTrust(decoded('valid/serial-generic'), knowing([changed])), {
    code: 'bad-signature',
  })
})

test('a store needs a known operator and the signature of a trusted account', async () => {
  const { known, ...context } = world()
  const find = findIn(known.filter((a) => a.primaryKey[0] !== 'acme-operator'))
  await refused(decoded('valid/store-acme-proxy'), { ...context, find }, 'missing-account', '"acme-operator"')
  const headers = {
    ...Object.fromEntries(decoded('valid/store-acme-proxy').headers),
    'authority-id': 'acme-brand',
  }
  await refused(
    signedBy('brand', 'store', headers as Extra),
    knowing([]),
    'untrusted-signer',
    'the store "acme-proxy" is signed by "acme-brand", which is not a trusted account',
  )
})

test('refuses requests, which have no authority', async () => {
  for (const type of ['serial-request', 'device-session-request', 'account-key-request']) {
    const message = `a ${type} has no authority: verify it with its key`
    await refused(decoded(`valid/${type}`), knowing([]), 'unexpected-type', message)
  }
})

test('the policy applies to every link of the chain', async () => {
  const policy = { hashes: ['sha512'], minimumKeyBits: 8192, maximumKeyBits: 16_384 } as const
  const message = `key ${ROOT} has 4096 bits, and the policy accepts 8192 to 16384`
  await refused(decoded('valid/serial'), knowing([], { policy }), 'weak-key', message)
})

test('accepts only accounts with their keys as trust roots', () => {
  const [own, key] = [decoded('valid/account-test-root'), decoded('valid/account-key-test-root')]
  assert.deepEqual(trustRoots([key, own]), { accounts: [own], keys: [key] })
  assert.throws(() => trustRoots([own]), {
    code: 'missing-key',
    message: 'the trusted account test-root needs a key among the roots',
  })
  assert.throws(() => trustRoots([key]), {
    code: 'missing-account',
    message: `the trusted key ${ROOT} needs its account test-root among the roots`,
  })
  assert.throws(() => trustRoots([own, key, decoded('valid/serial')]), {
    code: 'unexpected-type',
    message: 'trust roots are accounts and account-keys, not a serial',
  })
})
