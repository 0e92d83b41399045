import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountId } from '@ratafia/api'
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.ts'
import { codeAt, forAuthenticator, stepOfCode } from './totp.ts'

// The SHA-1 rows of RFC 6238, appendix B. Its codes have eight digits, and ours are their last six.
const SECRET = Buffer.from('12345678901234567890')
const VECTORS = [
  [59, '94287082', 0x1],
  [1111111109, '07081804', 0x23523ec],
  [1111111111, '14050471', 0x23523ed],
  [1234567890, '89005924', 0x273ef07],
  [2000000000, '69279037', 0x3f940aa],
  [20000000000, '65353130', 0x27bc86aa],
] as const
const at = (seconds: number) => new Date(seconds * 1000)

describe('one-time codes', () => {
  for (const [seconds, digits, step] of VECTORS) {
    test(`computes the code of RFC 6238 at ${seconds}, ${digits.slice(2)}`, () => {
      const code = digits.slice(2)
      assert.equal(codeAt(SECRET, at(seconds)), code)
      assert.equal(stepOfCode(SECRET, code, at(seconds)), step)
    })
  }

  test('accepts the code of a step also one step earlier and later, but not two', () => {
    const [seconds, digits, step] = VECTORS[3]
    const steps = [-2, -1, 0, 1, 2].map((away) =>
      stepOfCode(SECRET, digits.slice(2), at(seconds + 30 * away)),
    )
    assert.deepEqual(steps, [undefined, step, step, step, undefined])
  })

  test('refuses a string that is not a code', () => {
    for (const text of ['', '00592', '0059240', ' 005924', '٠٠٥٩٢٤', 'abcdef', '-05924', '5924.0']) {
      assert.equal(stepOfCode(SECRET, text, at(1234567890)), undefined, text)
    }
  })

  test('gives an authenticator the issuer, username and secret', () => {
    const { secret, uri } = forAuthenticator(SECRET, { issuer: 'id.example.org:8080', username: 'ann' })
    assert.equal(secret, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    const { protocol, host, pathname, searchParams } = new URL(uri)
    assert.deepEqual([protocol, host], ['otpauth:', 'totp'])
    assert.equal(decodeURIComponent(pathname), '/id.example.org-8080:ann')
    assert.deepEqual(Object.fromEntries(searchParams), {
      ...{ issuer: 'id.example.org-8080', secret, algorithm: 'SHA1', digits: '6', period: '30' },
    })
  })
})

describe('recovery codes', () => {
  const account = 'a'.repeat(32) as AccountId

  test('creates ten different codes with four groups each', () => {
    const codes = newRecoveryCodes()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
  })

  test('a code has the same hash however it is typed, and a different hash for another account', () => {
    const code = '01ab-cdef-ghjk-mnpq'
    const hash = recoveryCodeHash(account, code)
    for (const typed of [
      '01abcdefghjkmnpq',
      ' 01AB CDEF GHJK MNPQ ',
      'oiab-cdef-ghjk-mnpq',
      'Olab-cdef-ghjk-mnpq',
    ]) {
      assert.deepEqual(recoveryCodeHash(account, typed), hash, typed)
    }
    assert.notDeepEqual(recoveryCodeHash('b'.repeat(32) as AccountId, code), hash)
  })

  test('returns no hash for a string that is not a code', () => {
    for (const text of [
      '',
      '123456',
      '01ab-cdef-ghjk-mnp',
      '01ab-cdef-ghjk-mnpqr',
      '01ab-cdef-ghjk-mnpu',
      '01ab_cdef',
    ]) {
      assert.equal(recoveryCodeHash(account, text), undefined, text)
    }
  })
})
