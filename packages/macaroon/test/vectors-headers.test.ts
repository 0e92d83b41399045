import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slicesFromCookieHeader, slicesFromMacaroonsHeader } from '../src/bakery/index.ts'
import { vectors } from './vectors.ts'

interface HeaderVector {
  readonly name: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly recommended_slices: number
  readonly why: string
}

/** The vectors with a value that is not a slice. */
const MALFORMED = new Set(['garbage', 'single-object-not-array', 'binary-slice', 'empty-array'])

for (const vector of vectors<{ cases: HeaderVector[] }>('08-headers').cases) {
  test(`vector 08 ${vector.name}: ${vector.why}`, () => {
    const values = vector.headers.filter(([name]) => name === 'Macaroons').map(([, value]) => value)
    const cookies = vector.headers.filter(([name]) => name === 'Cookie').map(([, value]) => value)
    const fromHeader = slicesFromMacaroonsHeader(values)
    const fromCookies = slicesFromCookieHeader(cookies.join('; '))
    // Go counts an empty list as a slice and refuses it when verifying; we refuse it when reading.
    const expected = vector.name === 'empty-array' ? 0 : vector.recommended_slices
    assert.equal(fromHeader.slices.length + fromCookies.slices.length, expected)
    assert.equal(fromHeader.malformed, MALFORMED.has(vector.name))
    assert.equal(fromHeader.errors.length, MALFORMED.has(vector.name) ? 1 : 0)
    assert.equal(fromCookies.malformed, false)

    // Node joins repeated headers like this.
    const joined = slicesFromMacaroonsHeader([values.join(', ')])
    assert.deepEqual(joined, fromHeader)
    if (vector.name === 'binary-slice') {
      assert.equal(slicesFromMacaroonsHeader(values, { binary: true }).slices[0]?.length, 2)
    }
  })
}
