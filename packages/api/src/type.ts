/**
 * Builds the schemas that TypeBox builds, with its types. TypeBox itself is not loaded: its 373 modules take 7 MB of
 * a worker and 0.1 s of its start, and of them the schemas need these few functions.
 */
import type TypeBox from 'typebox'
import type { TSchema } from 'typebox'

type Options = Readonly<Record<string, unknown>>

// What TypeBox notes about a schema for itself. It is no part of the JSON Schema, and so not enumerable.
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
  /** Only of a text. */
  Literal: (value: string, options?: Options) =>
    noting({ type: 'string', const: value, ...options }, KIND, 'Literal'),
  Null: plain('Null'),
  Object: (properties: Readonly<Record<string, TSchema>>, options?: Options) => {
    const names = Object.entries(properties).flatMap(([name, schema]) => (OPTIONAL in schema ? [] : [name]))
    const required = names.length > 0 ? { required: names } : {}
    return noting({ type: 'object', ...required, properties, ...options }, KIND, 'Object')
  },
  Optional: (schema: TSchema) => noting(copyOf(schema), OPTIONAL, true),
  /** Only by texts of any kind. */
  Record: (_text: TSchema, value: TSchema, options?: Options) =>
    noting({ type: 'object', patternProperties: { '^.*$': value }, ...options }, KIND, 'Record'),
  String: plain('String'),
  Union: (anyOf: readonly TSchema[], options?: Options) => noting({ anyOf, ...options }, KIND, 'Union'),
  Unknown: (options?: Options) => noting({ ...options }, KIND, 'Unknown'),
  /** Its type says what the schema cannot. */
  Unsafe: (schema: TSchema) => noting(copyOf(schema), UNSAFE, null),
}

// They return what TypeBox's return (`type.test.ts`), whose types say more.
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
