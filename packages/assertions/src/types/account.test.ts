import assert from 'node:assert/strict'
import { test } from 'node:test'
import { vectorText } from '../../test/vectors.ts'
import { decode, expectType } from '../index.ts'

const valid = vectorText('valid/account-acme-brand')
const fields = (text: string) => expectType(decode(text), 'account').fields

test('reads the old validation "certified" as "verified", and others unchanged', () => {
  assert.equal(fields(valid).validation, 'unproven')
  assert.equal(fields(valid.replace('unproven', 'verified')).validation, 'verified')
  assert.equal(fields(valid.replace('unproven', 'certified')).validation, 'verified')
})

test('reads the fields from the headers', () => {
  assert.deepEqual(fields(valid), {
    accountId: 'acme-brand',
    displayName: 'Acme-brand',
    username: 'acme-brand',
    validation: 'unproven',
    timestamp: new Date('2020-01-01T00:00:00Z'),
  })
  assert.equal(fields(valid.replace('username: acme-brand\n', '')).username, undefined)
})
