import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSerialTemplate, serialFromTemplate } from './serial-template.ts'

const made: readonly [template: string, number: number, serial: string][] = [
  ['AC-{number:8}', 1, 'AC-00000001'],
  ['AC-{number:8}', 123_456_789, 'AC-123456789'],
  ['{number}', 7, '7'],
  ['A{number:2}+b', 7, 'A07+b'],
]
for (const [template, number, serial] of made) {
  test(`${template} with ${number} gives ${serial}`, () => {
    checkSerialTemplate(template)
    assert.equal(serialFromTemplate(template, number), serial)
  })
}

for (const template of [
  '',
  'AC',
  'AC-{number',
  '{number}{number}',
  'A--{number}',
  'a/{number}',
  '-{number}',
  '{number:0}',
]) {
  test(`refuses ${JSON.stringify(template)}`, () => {
    assert.throws(() => checkSerialTemplate(template), {
      code: 'invalid-field',
      message: /is not a template/,
    })
  })
}
