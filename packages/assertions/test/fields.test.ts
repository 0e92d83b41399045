// The typed fields of each type have the values of its headers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, expectType } from '../src/index.ts'
import { decoded, testKey, vectorText } from './vectors.ts'

const SINCE = new Date('2020-01-01T00:00:00Z')
const STAMP = new Date('2020-06-01T12:00:00Z')
const device = testKey('device').publicKey
const brand = testKey('brand').publicKey

test('reads the fields of an account-key and an account-key-request', () => {
  const common = {
    publicKeyId: brand.id,
    accountId: 'acme-brand',
    name: 'serial',
    since: SINCE,
    publicKey: brand,
  }
  assert.deepEqual(expectType(decoded('valid/account-key-acme-brand'), 'account-key').fields, {
    ...common,
    until: undefined,
    constraints: undefined,
  })
  const request = expectType(decoded('valid/account-key-request'), 'account-key-request')
  assert.deepEqual(request.fields, { ...common, until: undefined })
  const expired = expectType(decoded('valid/account-key-expired'), 'account-key')
  assert.deepEqual(expired.fields.until, new Date('2020-02-01T00:00:00Z'))
  assert.equal(expired.authorityId, 'test-root')
})

test('reads the fields of a model', () => {
  const model = expectType(decoded('valid/model-acme-core-24'), 'model')
  assert.deepEqual(model.fields, {
    series: '16',
    brandId: 'acme-brand',
    model: 'acme-core-24',
    displayName: undefined,
    store: 'acme-store',
    classic: false,
    architecture: 'amd64',
    base: 'core24',
    grade: 'signed',
    serialAuthority: ['generic'],
    timestamp: STAMP,
  })
  assert.equal(model.revision, 2)
  assert.deepEqual(model.primaryKey, ['16', 'acme-brand', 'acme-core-24'])
  assert.equal(expectType(decoded('valid/model-acme-next'), 'model').fields.classic, true)
})

test('reads the fields of a serial, a serial-request and a device-session-request', () => {
  const about = { brandId: 'acme-brand', model: 'acme-classic' }
  const key = { deviceKeyId: device.id, deviceKey: device }
  const serial = expectType(decoded('valid/serial'), 'serial')
  assert.deepEqual(serial.fields, { ...about, ...key, serial: 'SN-0001', timestamp: STAMP })
  assert.equal(serial.authorityId, 'acme-brand')
  const request = expectType(decoded('valid/serial-request'), 'serial-request')
  const original = { originalBrandId: undefined, originalModel: undefined, originalSerial: undefined }
  assert.deepEqual(request.fields, {
    ...about,
    ...key,
    ...original,
    requestId: 'REQID-0001',
    serial: undefined,
  })
  assert.equal(request.authorityId, undefined)
  const remodel = expectType(decoded('valid/serial-request-remodel'), 'serial-request').fields
  assert.equal(remodel.originalBrandId, 'acme-brand')
  assert.equal(remodel.originalModel, 'acme-classic')
  assert.equal(remodel.originalSerial, 'SN-0001')
  const session = expectType(decoded('valid/device-session-request'), 'device-session-request').fields
  assert.equal(session.serial, 'SN-0001')
  assert.ok(session.nonce.length > 0)
})

test('reads the fields of a store, with and without a URL', () => {
  const { fields } = expectType(decoded('valid/store-acme-proxy'), 'store')
  assert.deepEqual(fields, {
    store: 'acme-proxy',
    operatorId: 'acme-operator',
    url: 'http://127.0.0.1:18080',
    friendlyStores: [],
    location: undefined,
    timestamp: SINCE,
  })
  const text = vectorText('valid/store-acme-proxy')
  const url = (to: string) => expectType(decode(text.replace(/url: .*\n/, to)), 'store').fields.url
  assert.equal(url(''), undefined)
  assert.equal(url('url: https://[::1]:8080/a/b\n'), 'https://[::1]:8080/a/b')
})

test('reads the fields of a hardware-identity', () => {
  const { hardwareKey, ...fields } = expectType(
    decoded('extra-head/hardware-identity'),
    'hardware-identity',
  ).fields
  assert.equal(hardwareKey.asymmetricKeyType, 'ec')
  assert.deepEqual(fields, {
    issuerId: 'acme-brand',
    manufacturer: 'Acme',
    hardwareName: 'acme-board',
    hardwareId: 'HW-1',
    hardwareKeyId: 'U8AuLU47r_JLcF8D_-K2_qeEMcTAda1S95qUIWLWx9njkR2RSh80fsi9BQIIPlp5',
    timestamp: undefined,
  })
})
