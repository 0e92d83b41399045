import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asciiLower, checkEmail, loginName } from '../accounts/account-fields.ts'
import { normalEmail } from './email-address.ts'

const ONE: readonly [normal: string, ...spellings: string[]][] = [
  [
    'zoë@example.com',
    'zoe\u0308@example.com',
    'zoë@EXAMPLE.com',
    'zoË@Example.Com',
    'mailto:zoë@example.com',
  ],
  [
    'Bob@exämple.org',
    'Bob@xn--exmple-cua.org',
    'Bob@XN--EXMPLE-CUA.ORG',
    'Bob@EXÄMPLE.ORG',
    'Bob@exa\u0308mple.org',
  ],
  ['a@例え.テスト', 'a@例え。テスト', 'a@xn--r8jz45g.xn--zckzah', 'a@例え．テスト'],
  // The domain is not a host name.
  ['a@b/é', 'a@b/e\u0301', 'a@B/É'],
  ['a@straße.de', 'a@xn--strae-oqa.de', 'a@STRAßE.de'],
  ['a@نامه‌ای.com', 'a@xn--mgba3gch31f060k.com'],
  ['a@example.com', 'a@example.com.', 'a@example.com。', 'a@ｅｘａｍｐｌｅ.com', 'MAILTO:a@example.com'],
]
for (const [normal, ...spellings] of ONE) {
  test(`${spellings.length + 1} spellings of ${normal} are the same address`, () => {
    for (const spelling of [normal, ...spellings]) assert.equal(checkEmail(spelling), normal, spelling)
  })
}

// Each would have another meaning in a URL.
for (const address of [
  'a@127.1',
  'a@0x7f.1',
  'a@１２３',
  'a@[::1]',
  'a@b/c',
  'a@b:80',
  'a@b?c',
  'a@b#c',
  'a@b%2ec',
  'a@b\\c',
]) {
  test(`leaves ${address} unchanged`, () => assert.equal(checkEmail(address), address))
}
for (const address of ['a@b', 'a@_dmarc.example', 'a@xn--', 'a@xn--zzzzzzzzz-', 'a@-b-.com', 'a@b..c']) {
  test(`accepts the unusual domain of ${address}`, () => assert.equal(checkEmail(address), address))
}

test('signing in with the text of an address finds the stored address', () => {
  const addresses = ONE.flat()
  for (const address of [
    ...addresses,
    'ΑΝΔΡΕΑΣ.Π@example.gr',
    'info@ΟΔΟΣ-shop.gr',
    'İ.Ş@example.com',
    'A.B@EXAMPLE.com',
  ]) {
    assert.equal(loginName(address), asciiLower(checkEmail(address)), address)
  }
})

test('normalising twice is the same as once', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('@', '.', 'x', 'n', '-', 'ß', 'İ', 'Σ', '\u0308'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  })
  fc.assert(
    fc.property(text, (address) => assert.equal(normalEmail(normalEmail(address)), normalEmail(address))),
    { numRuns: 2_000 },
  )
})
