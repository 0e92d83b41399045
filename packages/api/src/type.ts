/**
 * Builds the same schemas as TypeBox, with its types. TypeBox itself is not loaded: its 373 modules cost each
 * worker 7 MB and 0.1 s at its start, and the schemas need only these few functions.
 */
import type TypeBox from 'typebox'
import type { TSchema } from 'typebox'

type Options = Readonly<Record<string, unknown>>

// TypeBox's own notes about a schema. They are not part of the JSON Schema, so they are not enumerable.
const KIND = '~kind'
const OPTIONAL = '~optional'
const UNSAFE = '~unsafe'

const noting = (schema: TSchema, note: string, value: unknown): TSchema =>
  Object.defineProperty(schema, note, { value, configurable: true, writable: true })

const copyOf = (schema: TSchema): TSchema =>
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))

const plain = (kind: string) => (options?: Options) =>
  noting({ type: kind.toLowerCase(), ...options }, KIND, kind)

const builders = {
  Array: (items: TSchema, options?: Options) => noting({ type: 'array', items, ...options }, KIND, 'Array'),
  Boolean: plain('Boolean'),
  Enum: (values: readonly unknown[], options?: Options) => noting({ enum: values, ...options }, KIND, 'Enum'),
  Integer: plain('Integer'),
  /** Creates a literal type. Supports only strings. */
  Literal: (value: string, options?: Options) =>
    noting({ type: 'string', const: value, ...options }, KIND, 'Literal'),
  Null: plain('Null'),
  Object: (properties: Readonly<Record<string, TSchema>>, options?: Options) => {
    const names = Object.entries(properties).flatMap(([name, schema]) => (OPTIONAL in schema ? [] : [name]))
    const required = names.length > 0 ? { required: names } : {}
    return noting({ type: 'object', ...required, properties, ...options }, KIND, 'Object')
  },
  Optional: (schema: TSchema) => noting(copyOf(schema), OPTIONAL, true),
  /** Creates a record type. Supports only arbitrary strings as keys. */
  Record: (_text: TSchema, value: TSchema, options?: Options) =>
    noting({ type: 'object', patternProperties: { '^.*$': value }, ...options }, KIND, 'Record'),
  String: plain('String'),
  Union: (anyOf: readonly TSchema[], options?: Options) => noting({ anyOf, ...options }, KIND, 'Union'),
  Unknown: (options?: Options) => noting({ ...options }, KIND, 'Unknown'),
  /** Has a type that the schema itself cannot express. */
  Unsafe: (schema: TSchema) => noting(copyOf(schema), UNSAFE, null),
}

// They return what TypeBox's builders return (`type.test.ts`), whose types are more precise.
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
