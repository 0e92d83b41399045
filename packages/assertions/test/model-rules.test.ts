// Guarantee: this package refuses the models that snapd refuses, with the reason, and accepts those that it accepts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS, decode } from '../src/index.ts'
import { MODEL_CASES } from './model-rules.ts'
import { refusal } from './vectors.ts'

for (const { name, valid, accepted, refused } of MODEL_CASES) {
  const change = (from: string, to: string): string => {
    assert.ok(from !== '' && valid.includes(from), `The valid text has ${JSON.stringify(from)}`)
    return valid.replace(from, () => to)
  }

  test(`accepts a model ${name}`, () => {
    decode(valid)
  })

  for (const [from, to] of accepted) {
    test(`accepts a model ${name} with ${JSON.stringify(to)} instead of ${JSON.stringify(from)}`, () => {
      decode(change(from, to))
    })
  }

  for (const [from, to, message] of refused) {
    test(`refuses a model ${name} with ${JSON.stringify(to)} instead of ${JSON.stringify(from)}`, () => {
      assert.equal(refusal(() => decode(change(from, to))).message, `model: header "${message}`)
    })
  }
}

test('still reads a model that was stored before these rules', () => {
  const [{ valid } = { valid: '' }] = MODEL_CASES
  const old = valid.replace('grade: signed', 'grade: Signed')
  const { type, fields } = decode(old, DEFAULT_LIMITS, { rules: false })
  assert.ok(type === 'model' && fields.grade === 'Signed')
})
