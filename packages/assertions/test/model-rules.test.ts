// Guarantee: a model that snapd refuses is refused here too, with the reason, and one that it accepts is accepted.

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

  test(`a model ${name} is accepted`, () => {
    decode(valid)
  })

  for (const [from, to] of accepted) {
    test(`a model ${name} with ${JSON.stringify(to)} for ${JSON.stringify(from)} is accepted`, () => {
      decode(change(from, to))
    })
  }

  for (const [from, to, message] of refused) {
    test(`a model ${name} with ${JSON.stringify(to)} for ${JSON.stringify(from)} is refused`, () => {
      assert.equal(refusal(() => decode(change(from, to))).message, `model: header "${message}`)
    })
  }
}

test('a model that was stored before these rules can still be read', () => {
  const [{ valid } = { valid: '' }] = MODEL_CASES
  const old = valid.replace('grade: signed', 'grade: Signed')
  const { type, fields } = decode(old, DEFAULT_LIMITS, { rules: false })
  assert.ok(type === 'model' && fields.grade === 'Signed')
})
