import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDisplayName, checkEmail, checkUsername } from './account-fields.ts'
import { chosenPasswordBytes, passwordBytes } from './passwords/password.ts'

for (const name of ['ab', 'a-b', '0x', 'a'.repeat(28)]) {
  test(`accepts the username ${name}`, () => assert.equal(checkUsername(name), name))
}
for (const name of ['', 'a', 'A1', '-ab', 'ab-', 'a--b', 'a_b', 'a'.repeat(29), 'é1', 'ab\n']) {
  test(`refuses the username ${JSON.stringify(name)}`, () =>
    assert.throws(() => checkUsername(name), { code: 'invalid-field', message: /2 to 28/ }))
}

test('refuses the username that revoked-by uses for the operator', () => {
  assert.throws(() => checkUsername('operator'), {
    code: 'invalid-field',
    message: /the person who runs the service/,
  })
})

for (const email of ['a@b', 'bob@example.org', 'o’hara+tag@exämple.org']) {
  test(`accepts the e-mail address ${email}`, () => assert.equal(checkEmail(email), email))
}
for (const email of [
  '',
  'bob',
  '@b',
  'a@',
  'a b@c',
  'a@b@c',
  'a@b\n',
  'a@b\u202e',
  `${'a'.repeat(250)}@b.org`,
]) {
  test(`refuses the e-mail address ${JSON.stringify(email.slice(0, 20))}`, () =>
    assert.throws(() => checkEmail(email), { code: 'invalid-field' }))
}

for (const name of ['Bob', '  Bob Smith ', '山田太郎', 'Zoë']) {
  test(`accepts the display name ${name}, trimmed`, () => assert.equal(checkDisplayName(name), name.trim()))
}
for (const name of [
  '',
  '   ',
  'a\u0000b',
  'Bob\u202egro.live',
  'Bob\u200b',
  'x\ny',
  '\ud800',
  'a'.repeat(129),
]) {
  test(`refuses the display name ${JSON.stringify(name.slice(0, 20))}`, () =>
    assert.throws(() => checkDisplayName(name), { code: 'invalid-field' }))
}

test('a chosen password has at least 8 characters and at most 1024 bytes', () => {
  assert.equal(chosenPasswordBytes('12345678').length, 8)
  assert.equal(chosenPasswordBytes('x'.repeat(1024)).length, 1024)
  for (const bad of ['', '1234567', '🔑'.repeat(7), 'x'.repeat(1025), 'é'.repeat(513), `1234567\ud800`]) {
    assert.throws(() => chosenPasswordBytes(bad), {
      code: 'invalid-field',
      message: /at least 8 characters|at most 1,024 bytes|not allowed|Enter a password/,
    })
  }
})

test('composed and decomposed letters make the same password', () => {
  assert.deepEqual(passwordBytes('caf\u00e9 caf\u00e9'), passwordBytes('cafe\u0301 cafe\u0301'))
})

test('returns no bytes for an impossible password of any length', () => {
  assert.equal(passwordBytes('x'.repeat(1_000_000)), undefined)
  assert.equal(passwordBytes('\udfff'), undefined)
})
