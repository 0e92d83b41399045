/**
 * Builds schemas as TypeBox does, with its types. TypeBox itself is not loaded: its 373 modules take 17 MB and 0.1 s of
 * each process that starts, and of them the schemas need these few functions.
 */
import type TypeBox from 'typebox'
import type { TSchema } from 'typebox'

type Options = Readonly<Record<string, unknown>>

/** Not enumerable, as TypeBox has it: it is no part of the JSON Schema. */
const OPTIONAL = '~optional'

const of =
  (type: string) =>
  (options?: Options): TSchema => ({ type, ...options })

const builders = {
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: of('boolean'),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Integer: of('integer'),
  /** Only of a text. */
  Literal: (value: string, options?: Options) => ({ type: 'string', const: value, ...options }),
  Null: of('null'),
  Object: (properties: Readonly<Record<string, TSchema>>, options?: Options) => {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  /** Only by texts of any kind. */
  Record: (_texts: TSchema, value: TSchema, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: of('string'),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  /** A type that the schema cannot say. */
  Unsafe: (schema: TSchema) => schema,
}

// They return what TypeBox's return (`type.test.ts`), whose types say more.
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
