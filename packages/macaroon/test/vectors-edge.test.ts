import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ConditionError,
  checkConditions,
  declaredValues,
  STANDARD_CHECKERS,
} from '../src/conditions/index.ts'
import {
  decodeBase64,
  decodeBinary,
  decodeJson,
  MacaroonError,
  type MacaroonErrorCode,
  type UnverifiedSlice,
  verify,
} from '../src/index.ts'
import { fromHex, vectors } from './vectors.ts'

interface EdgeVector {
  readonly name: string
  readonly kind: 'slice_json' | 'slice_binary'
  readonly root_key_hex: string
  readonly input: readonly unknown[]
  readonly input_hex: string
  readonly input_base64: string
  readonly expect: 'accept' | 'reject-parse' | 'reject-verify' | 'reject-caveat'
  readonly why: string
  readonly service_expect?: string
}

function parse(vector: EdgeVector): UnverifiedSlice {
  if (vector.kind === 'slice_json') {
    return vector.input.map((value) => decodeJson(value)) as unknown as UnverifiedSlice
  }
  assert.deepEqual(decodeBase64(vector.input_base64), fromHex(vector.input_hex))
  return decodeBinary(fromHex(vector.input_hex))
}

const PARSE_CODES: readonly MacaroonErrorCode[] = ['malformed', 'unsupported-version']
const VERIFY_CODES: Readonly<Record<string, MacaroonErrorCode>> = {
  'missing-discharge': 'discharge-missing',
  'unused-discharge': 'discharge-unused',
  'same-cid-twice-one-discharge': 'discharge-reused',
  'same-cid-twice-two-discharges': 'discharge-reused',
  'removed-third-party-caveat': 'bad-signature',
}

/** Runs a vector and returns the step where it stopped. */
function outcome(vector: EdgeVector): { readonly outcome: EdgeVector['expect']; readonly error?: unknown } {
  let slice: UnverifiedSlice
  try {
    slice = parse(vector)
  } catch (error) {
    return { outcome: 'reject-parse', error }
  }
  try {
    const conditions = verify(slice, fromHex(vector.root_key_hex))
    const declared = declaredValues(conditions.map((c) => c.condition))
    try {
      checkConditions(conditions, STANDARD_CHECKERS, { now: new Date('2050-01-01T00:00:00Z'), declared })
      return { outcome: 'accept' }
    } catch (error) {
      return { outcome: 'reject-caveat', error }
    }
  } catch (error) {
    return { outcome: 'reject-verify', error }
  }
}

const { cases } = vectors<{ cases: EdgeVector[] }>('05-edge-and-invalid')

for (const vector of cases) {
  test(`vector 05 ${vector.name}: ${vector.expect} (${vector.why})`, () => {
    const result = outcome(vector)
    assert.equal(result.outcome, vector.expect, String(result.error))
    if (result.outcome === 'reject-caveat') assert.ok(result.error instanceof ConditionError)
    if (result.outcome === 'reject-parse') {
      assert.ok(result.error instanceof MacaroonError && PARSE_CODES.includes(result.error.code))
    }
    if (result.outcome === 'reject-verify') {
      assert.ok(result.error instanceof MacaroonError)
      const code = VERIFY_CODES[vector.name]
      if (code !== undefined) assert.equal(result.error.code, code)
    }
  })
}

// Guarantee: a service can see who could have written a condition, so it can recognise the cases that it must refuse.
for (const vector of cases.filter((c) => c.service_expect !== undefined)) {
  test(`vector 05 ${vector.name}: the conditions show the service why to refuse it`, () => {
    const slice = parse(vector)
    const declared = verify(slice, fromHex(vector.root_key_hex))
      .filter((c) => c.condition.startsWith('declared username '))
      .map((c) => [c.macaroon, c.condition.slice('declared username '.length)])
    const expected: Record<string, unknown> = {
      'declared-empty-username': [[1, '']],
      'declared-only-in-root': [[0, 'eve']],
      'declared-appended-to-discharge': [[1, 'eve']],
    }
    assert.deepEqual(declared, expected[vector.name])
    const caveat = slice[0].caveats.find((c) => c.verificationId !== undefined)
    assert.deepEqual(slice[1]?.id, caveat?.id)
  })
}
