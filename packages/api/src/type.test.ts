import assert from 'node:assert/strict'
import { test } from 'node:test'
import TypeBox from 'typebox'
import { Type } from './type.ts'

/** Each builder in all its forms. */
const SCHEMAS: Readonly<Record<string, (type: typeof Type) => object>> = {
  Array: (type) => type.Array(type.String(), { minItems: 1, uniqueItems: true }),
  Boolean: (type) => type.Boolean({ description: 'Whether' }),
  Enum: (type) => type.Enum(['a', 'b'], { type: 'string', title: 'Letter' }),
  Integer: (type) => type.Integer({ minimum: 0 }),
  Literal: (type) => type.Literal('ratafia', { description: 'The name' }),
  Null: (type) => type.Null(),
  Object: (type) => type.Object({ a: type.String(), b: type.Integer() }, { additionalProperties: false }),
  'Object without anything required': (type) => type.Object({ a: type.Optional(type.String()) }),
  'Object with optional properties': (type) =>
    type.Object({ a: type.String(), b: type.Optional(type.Object({ c: type.Null() })), d: type.Unknown() }),
  'Object without properties': (type) => type.Object({}),
  Optional: (type) => type.Optional(type.String({ maxLength: 3 })),
  Record: (type) => type.Record(type.String(), type.Unknown(), { description: 'More' }),
  String: (type) => type.String({ pattern: '^a$', format: 'uri' }),
  Union: (type) => type.Union([type.String(), type.Null()], { description: 'Or' }),
  Unknown: (type) => type.Unknown({ description: 'Anything' }),
  Unsafe: (type) => type.Unsafe<'a'>(type.String({ pattern: 'a' })),
}

for (const [name, build] of Object.entries(SCHEMAS)) {
  test(`${name} builds the same schema as TypeBox`, () => {
    assert.deepEqual(wholeOf(build(Type)), wholeOf(build(TypeBox)))
    // Compared as text, because the OpenAPI document has the properties in this order.
    assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox)))
  })
}

test('every builder is compared', () => {
  const compared = Object.keys(SCHEMAS)
  assert.deepEqual(
    Object.keys(Type).filter((builder) => !compared.includes(builder)),
    [],
  )
})

test('making a schema optional does not change it elsewhere', () => {
  const text = Type.String()
  Type.Optional(text)
  assert.deepEqual(Type.Object({ text }).required, ['text'])
})

/** Includes properties that are not enumerable. */
function wholeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value))
  return Object.fromEntries(
    properties.map(([name, { value: inner, ...how }]) => [name, [how, wholeOf(inner)]]),
  )
}
