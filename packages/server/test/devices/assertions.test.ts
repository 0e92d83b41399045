import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import { decode, encode, encodePublicKey, sign } from '@ratafia/assertions'
import { findPublicAssertion } from '../../src/devices/assertions/find-assertion.ts'
import type { DeviceStatus } from '../../src/devices/device.ts'
import { newDevice } from '../../src/devices/new-device.ts'
import { Unavailable } from '../../src/errors.ts'
import { acmeFiles, brandDeps, testKey, vector } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME, acmeKey, modelFile, withAcme } from '../support/devices.ts'
import { type RawAnswer, sendRaw } from '../support/raw-http.ts'
import { call, refusalOf, type TestService, testService } from '../support/service.ts'

const ASSERTIONS = '/v2/assertions'
const serialPath = (serial: string) => `${ASSERTIONS}/serial/${ACME.brandId}/${ACME.model}/${serial}`

/** Stores a device in the register, with the assertion of its serial. */
async function hold(
  { installation, now }: TestService,
  serial: string,
  status: DeviceStatus,
): Promise<Uint8Array> {
  const [id, at, { publicKey }] = [newDeviceId(new Date()), now(), testKey('device')]
  const encoded = encode(
    sign(
      {
        type: 'serial',
        headers: {
          'authority-id': ACME.brandId,
          'brand-id': ACME.brandId,
          model: ACME.model,
          serial,
          'device-key': encodePublicKey(publicKey).trimEnd(),
          'device-key-sha3-384': publicKey.id,
          timestamp: '2026-01-02T03:04:05Z',
        },
      },
      acmeKey(),
      { signedAt: at },
    ),
  )
  const decision = { decidedAt: at, decidedBy: 'policy', reason: null, quarantinedAt: null }
  const device = newDevice({
    ...{ id, ...ACME, serial, status, revision: 0, origin: 'registration' },
    // A key has one serial per model, so these devices share the signing key, but not their row's key.
    deviceKeyId: `${publicKey.id.slice(0, -serial.length % 60)}${serial}`.slice(-64),
    registeredAt: at,
    ...decision,
  })
  assert.ok(await installation.devices.add(device))
  const { bucket } = device
  const assertion = { ...ACME, serial, revision: 0, deviceId: id, bucket, encoded, authorityId: ACME.brandId }
  await installation.devices.addSerialAssertion({ ...assertion, signingKeyId: acmeKey().publicKey.id }, at)
  return encoded
}

eachDatabase((_kind, open, fresh) => {
  const service = testService(fresh)
  const get = (path: string, method = 'GET') => fetch(`${service.baseUrl}${path}`, { method })
  const bytesAt = async (path: string) => {
    const response = await get(path)
    assert.equal(response.status, 200, path)
    assert.equal(response.headers.get('content-type'), 'application/x.ubuntu.assertion')
    assert.equal(response.headers.get('snap-store-version'), '32')
    return Buffer.from(await response.arrayBuffer())
  }
  const raw = async (path: string): Promise<RawAnswer> => {
    const [answer] = await sendRaw(service.baseUrl, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return answer ?? assert.fail('no answer')
  }
  before(async () => withAcme(brandDeps(await open())))

  test('returns account, account-key and model of a brand byte for byte', async () => {
    assert.deepEqual(await bytesAt(`${ASSERTIONS}/account/acme-brand`), acmeFiles.account.bytes)
    const keyId = acmeKey().publicKey.id
    assert.deepEqual(await bytesAt(`${ASSERTIONS}/account-key/${keyId}`), acmeFiles.accountKey.bytes)
    assert.deepEqual(
      await bytesAt(`${ASSERTIONS}/model/16/${ACME.brandId}/${ACME.model}`),
      Buffer.from(modelFile.bytes),
    )
  })

  test('returns trust roots, both added and built in', async () => {
    const added = await bytesAt(`${ASSERTIONS}/account/test-root`)
    assert.deepEqual(added, vector('world/account-test-root').bytes)
    const [root] = decode(await bytesAt(`${ASSERTIONS}/account/canonical`)).primaryKey
    assert.equal(root, 'canonical')
  })

  test('returns the serial of an active device, even a long one or one with unusual characters', async () => {
    for (const serial of ['SN-1', 'L'.repeat(1500), 'a b+%41ü', '..', 'a;b?c#d']) {
      const encoded = await hold(service, serial, 'active')
      const { status, headers, body } = await raw(serialPath(encodeURIComponent(serial)))
      assert.equal(status, 200, serial)
      assert.equal(headers.get('content-type'), 'application/x.ubuntu.assertion')
      assert.equal(body, Buffer.from(encoded).toString())
    }
  })

  test('HEAD returns the same headers and no body', async () => {
    const path = `${ASSERTIONS}/account/acme-brand`
    const [with200, without] = [await get(path, 'HEAD'), await get(`${path}x`, 'HEAD')]
    assert.deepEqual([with200.status, await with200.text()], [200, ''])
    assert.equal(with200.headers.get('content-type'), 'application/x.ubuntu.assertion')
    assert.equal(with200.headers.get('content-length'), String(acmeFiles.account.bytes.length))
    assert.deepEqual([without.status, await without.text()], [404, ''])
    assert.equal(without.headers.get('content-type'), 'application/json')
  })

  test('answers 404 for a format above max-format, and ignores the rest of the query', async () => {
    const path = `${ASSERTIONS}/account/acme-brand`
    for (const query of ['max-format=0', 'max-format=1', 'a=b', 'max-format=0&a=%00', '']) {
      assert.equal((await get(`${path}?${query}`)).status, 200, query)
    }
    // With constraints, an account-key has format 1.
    const constrained = sign(
      {
        type: 'account-key',
        headers: {
          'authority-id': 'test-root',
          'public-key-sha3-384': testKey('device2').publicKey.id,
          'account-id': 'acme-brand',
          name: 'constrained',
          since: '2020-01-01T00:00:00Z',
          constraints: [{ headers: { type: 'model' } }],
        },
        body: encodePublicKey(testKey('device2').publicKey),
      },
      testKey('root'),
      { signedAt: service.now() },
    )
    assert.equal(constrained.format, 1)
    const [primaryKey = ''] = constrained.primaryKey
    const row = { type: 'account-key', primaryKey, revision: 0, encoded: encode(constrained) }
    await service.installation.assertions.put([row], service.now())
    const keyPath = `${ASSERTIONS}/account-key/${primaryKey}`
    assert.equal((await get(keyPath)).status, 200)
    assert.equal((await get(`${keyPath}?max-format=1`)).status, 200)
    assert.equal(refusalOf(await call(service, 'GET', `${keyPath}?max-format=0`)).code, 'assertion-not-found')
    for (const value of ['-1', '1.0', 'x', '01', '', '9'.repeat(30)]) {
      const refused = await call(service, 'GET', `${path}?max-format=${value}`)
      const answer = refusalOf(refused)
      assert.deepEqual(refused.body.error_list[0].extra, { field: 'query/max-format' })
      assert.deepEqual([answer.status, answer.code], [400, 'invalid-field'], value)
      assert.equal(answer.message, 'The parameter "max-format" must be a whole number, such as 1.')
    }
    const twice = await call(service, 'GET', `${path}?max-format=1&max-format=2`)
    assert.equal(refusalOf(twice).message, 'The parameter "max-format" is given more than once.')
  })

  test('answers the same 404 for missing, hidden, unknown and malformed assertions', async () => {
    await hold(service, 'REVOKED-1', 'revoked')
    await hold(service, 'SUPERSEDED-1', 'superseded')
    const never = await raw(serialPath('NEVER-1'))
    assert.equal(never.status, 404)
    assert.equal(never.headers.get('content-type'), 'application/json')
    assert.equal(never.headers.get('snap-store-version'), '32')
    const [{ code, message }] = JSON.parse(never.body).error_list
    assert.deepEqual([code, message], ['assertion-not-found', 'This service has no such assertion.'])
    const paths = [
      serialPath('REVOKED-1'),
      serialPath('SUPERSEDED-1'),
      // Types that are hidden or unknown.
      `${ASSERTIONS}/hardware-identity/acme-brand/${'a'.repeat(64)}`,
      `${ASSERTIONS}/store/acme-store`,
      `${ASSERTIONS}/nothing/x`,
      `${ASSERTIONS}/__proto__/x`,
      `${ASSERTIONS}/constructor/x`,
      `${ASSERTIONS}/ACCOUNT/acme-brand`,
      `${ASSERTIONS}/${'t'.repeat(5000)}/x`,
      // Keys with more or fewer values than the type has.
      `${ASSERTIONS}/account/acme-brand/`,
      `${ASSERTIONS}/account/acme-brand/x`,
      `${ASSERTIONS}/account/`,
      `${ASSERTIONS}/serial/${ACME.brandId}/${ACME.model}`,
      `${ASSERTIONS}/model/${ACME.brandId}/${ACME.model}`,
      `${ASSERTIONS}/serial/${ACME.brandId}/${ACME.model}/SN-1/x`,
      // An encoded slash separates nothing, and a value that is encoded twice is decoded once.
      `${ASSERTIONS}/serial/${ACME.brandId}%2F${ACME.model}/SN-1`,
      `${ASSERTIONS}/serial/${ACME.brandId}/${ACME.model}%2fSN-1`,
      `${ASSERTIONS}/%61ccount%2facme-brand/x`,
      serialPath('SN%252D1'),
      // Values that no database can look up, or that it should not look up.
      serialPath('%00'),
      `${ASSERTIONS}/account/acme-brand%00`,
      serialPath('S'.repeat(5000)),
      serialPath('%C3%BC'.repeat(5000)),
      serialPath('../SN-1'),
    ]
    for (const path of paths) {
      const { status, headers, body } = await raw(path)
      assert.deepEqual([status, body], [404, never.body], path.slice(0, 200))
      const names = [...headers].filter(([name]) => name !== 'date')
      assert.deepEqual(
        names,
        [...never.headers].filter(([name]) => name !== 'date'),
        path.slice(0, 200),
      )
    }
  })

  test('refuses a path that is not percent-encoded UTF-8, and any method except GET and HEAD', async () => {
    for (const path of [serialPath('%ff'), serialPath('%zz'), serialPath('%ED%A0%80'), serialPath('%2')]) {
      assert.equal((await raw(path)).status, 400, path)
    }
    const { status, code } = refusalOf(await call(service, 'POST', `${ASSERTIONS}/account/acme-brand`))
    assert.deepEqual([status, code], [405, 'method-not-allowed'])
  })

  test('answers 503 for a failed look-up, never not found', async () => {
    const away = () => Promise.reject(new Unavailable('the database is away'))
    const { assertions, devices } = service.installation
    const deps = {
      ...service.installation,
      assertions: { ...assertions, find: away },
      devices: { ...devices, findSerialAssertion: away },
    }
    for (const [type, ...key] of [
      ['account', 'acme-brand'],
      ['serial', ACME.brandId, ACME.model, 'SN-1'],
    ] as const) {
      await assert.rejects(findPublicAssertion({ type, key }, deps), Unavailable)
    }
  })
})
