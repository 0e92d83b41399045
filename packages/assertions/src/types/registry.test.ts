import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStrictSerial, isTypeName, TYPE_NAMES } from '../index.ts'
import { TYPES } from './registry.ts'

test('the registry has the authority, primary key and latest format of each type in the contract', () => {
  const rows = TYPE_NAMES.map((name) => {
    const { authority, primaryKey, maxFormat } = TYPES[name]
    return [name, authority, primaryKey.join(' '), maxFormat]
  })
  assert.deepEqual(rows, [
    ['account', true, 'account-id', 0],
    ['account-key', true, 'public-key-sha3-384', 1],
    ['account-key-request', false, 'public-key-sha3-384', 0],
    ['device-session-request', false, 'brand-id model serial', 0],
    ['hardware-identity', true, 'issuer-id hardware-id-key-sha3-384', 0],
    ['model', true, 'series brand-id model', 0],
    ['serial', true, 'brand-id model serial', 0],
    ['serial-request', false, '', 0],
    ['store', true, 'store', 0],
  ])
  assert.ok(isTypeName('serial') && !isTypeName('toString'))
})

test('isStrictSerial accepts the form of new serial numbers only', () => {
  for (const good of ['a', '7b77f222-66ae', 'A:1+b']) assert.ok(isStrictSerial(good), good)
  for (const bad of ['', '-a', 'a-', 'a--b', 'a_b', 'a b', 'a/b', 'é', 'a\n'])
    assert.ok(!isStrictSerial(bad), bad)
})
