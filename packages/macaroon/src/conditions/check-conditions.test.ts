import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkConditions,
  declaredValues,
  formatDeclared,
  formatNeedDeclared,
  formatSessionId,
  parseDeclared,
  parseNeedDeclared,
  parseSessionId,
  STANDARD_CHECKERS,
  splitCondition,
  TOKEN_CHECKERS,
} from './index.ts'

const now = new Date('2026-01-01T00:00:00Z')
const check = (conditions: readonly string[], checkers = TOKEN_CHECKERS): void =>
  checkConditions(conditions, checkers, { now, declared: declaredValues(conditions) })

const TOKEN = [
  'time-before 2027-01-01T00:00:00.000000Z',
  'time-since 2025-01-01T00:00:00.000000Z',
  'session-id 9f050d3a-e724-49a1-b582-fa86bdb4a52d',
  'declared userid abc',
  'extra {"channel": null, "package_id": null, "acl": ["package_access"], "store_ids": null}',
]

test('accepts the conditions of a developer token', () => check(TOKEN))

// Guarantee: an unknown condition never counts as met.
for (const [condition, code, message] of [
  ['allow login', 'unknown-condition', 'Unknown condition "allow"'],
  ['Time-before 2027-01-01T00:00:00Z', 'unknown-condition', 'Unknown condition "Time-before"'],
  ['constructor x', 'unknown-condition', 'Unknown condition "constructor"'],
  ['__proto__', 'unknown-condition', 'Unknown condition "__proto__"'],
  ['http:client-ip-addr ::1', 'unknown-condition', 'Unknown condition "http:client-ip-addr"'],
  ['', 'malformed-condition', 'A condition is empty or begins with a space'],
  [' time-before 2027-01-01T00:00:00Z', 'malformed-condition', 'A condition is empty or begins with a space'],
  ['time-before 2025-01-01T00:00:00Z', 'expired', 'Expired at 2025-01-01T00:00:00.000Z'],
  ['time-since 2027-01-01T00:00:00Z', 'not-yet-valid', 'Not valid before 2027-01-01T00:00:00.000Z'],
  ['declared userid', 'malformed-condition', '"declared" needs a key and a value: "userid"'],
  [
    'declared userid eve',
    'declared-conflict',
    '"userid" is declared with different values, so all of them are ignored',
  ],
  ['error no way', 'refused', 'The macaroon contains an error instead of a permission: "no way"'],
  ['session-id ', 'malformed-condition', 'Not a session id: ""'],
  ['session-id a b', 'malformed-condition', 'Not a session id: "a b"'],
  ['extra', 'malformed-condition', 'Invalid restrictions of a token ("extra"): it is not JSON'],
] as const) {
  test(`refuses ${JSON.stringify(condition)} with ${code}`, () => {
    assert.throws(() => check([...TOKEN, condition]), { name: 'ConditionError', code, message })
  })
}

test('the standard checkers do not know the conditions of tokens', () => {
  assert.throws(() => check(['session-id a'], STANDARD_CHECKERS), { code: 'unknown-condition' })
})

test('a message quotes only a part of a long condition', () => {
  assert.throws(
    () => check([`x${'y'.repeat(4000)}`]),
    (error: Error) => error.message.length < 120,
  )
})

test('splits a condition at its first space', () => {
  assert.deepEqual(splitCondition('a b  c '), { name: 'a', argument: 'b  c ' })
  assert.deepEqual(splitCondition('a'), { name: 'a', argument: '' })
})

test('writes and reads declared, and drops a key whose values differ', () => {
  assert.equal(formatDeclared('username', 'bob the builder'), 'declared username bob the builder')
  assert.deepEqual(parseDeclared('username  two '), { key: 'username', value: ' two ' })
  const values = declaredValues([
    'declared a 1',
    'declared a 1',
    'declared b 1',
    'declared b 2',
    'declared b 2',
    'declared c ',
    'declared',
  ])
  assert.deepEqual(
    [...values],
    [
      ['a', '1'],
      ['c', ''],
    ],
  )
  for (const key of ['', 'a b', 'a,b', 'a\n']) assert.throws(() => formatDeclared(key, 'x'), TypeError)
  assert.throws(() => formatDeclared('a', 'x\ny'), TypeError)
})

test('writes and reads need-declared', () => {
  const both = { keys: ['userid', 'email'], condition: 'is-authenticated-userid for {}' }
  const text = 'need-declared userid,email is-authenticated-userid for {}'
  assert.equal(formatNeedDeclared(both), text)
  assert.deepEqual(parseNeedDeclared(text), both)
  assert.equal(formatNeedDeclared({ keys: [], condition: 'true' }), 'true')
  assert.deepEqual(parseNeedDeclared('true'), { keys: [], condition: 'true' })
  assert.deepEqual(parseNeedDeclared('need-declaredx a'), { keys: [], condition: 'need-declaredx a' })
  assert.deepEqual(parseNeedDeclared('need-declared a,a b').keys, ['a'])
  assert.throws(() => formatNeedDeclared({ keys: ['a b'], condition: 'c' }), TypeError)
})
for (const text of [
  'need-declared',
  'need-declared ',
  'need-declared userid',
  'need-declared userid ',
  'need-declared  c',
  'need-declared a,,b c',
  'need-declared , c',
  'need-declared a\u0000 c',
]) {
  test(`refuses ${JSON.stringify(text)} as malformed`, () => {
    assert.throws(() => parseNeedDeclared(text), {
      code: 'malformed-condition',
      message: /^"need-declared" needs keys and a condition: /,
    })
  })
}

test('accepts any printable session id of at most 128 characters', () => {
  assert.equal(formatSessionId('9f050d3a'), 'session-id 9f050d3a')
  assert.equal(parseSessionId('not-a-uuid'), 'not-a-uuid')
  assert.throws(() => formatSessionId('a b'), TypeError)
  assert.throws(() => parseSessionId('x'.repeat(129)), { code: 'malformed-condition' })
})
