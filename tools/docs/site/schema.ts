/** Describes JSON Schema in Markdown: a type in one line, the fields of an object in a table. */
import { tableRow } from '../table-row.ts'

/** The keywords that the API uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly [keyword: string]: unknown
}

const REFERENCE = '#/components/schemas/'

/** Returns the name of the schema that a `$ref` is for. */
export const nameIn = ($ref: string): string => $ref.slice(REFERENCE.length)

const code = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** Returns the type with its limits, in which a named schema is a link to its heading on the same page. */
export function typeOf(schema: Schema): string {
  const { $ref, type, anyOf, items, patternProperties } = schema
  if ($ref !== undefined) return `[${nameIn($ref)}](#${nameIn($ref).toLowerCase()})`
  if ('const' in schema) return code(schema.const)
  if (schema.enum) return schema.enum.map(code).join(', ')
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ')
  const values = Object.values(patternProperties ?? {})
  const of = items ? ` of ${typeOf(items)}` : values[0] ? ` of ${typeOf(values[0])}` : ''
  return [`${type ?? 'any value'}${of}`, ...limitsOf(schema)].join(', ')
}

const LIMITS: Readonly<Record<string, (value: unknown) => string>> = {
  format: (value) => `format ${code(value)}`,
  pattern: (value) => `pattern ${code(value)}`,
  contentEncoding: (value) => `in ${value}`,
  contentMediaType: (value) => `of ${code(value)}`,
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
  uniqueItems: () => 'each once',
  minProperties: (value) => `at least ${value} fields`,
  maxProperties: (value) => `at most ${value} fields`,
}

const limitsOf = (schema: Schema): readonly string[] =>
  Object.entries(schema).flatMap(([keyword, value]) => LIMITS[keyword]?.(value) ?? [])

/** Returns the description of a schema: its type, or a table of its fields. */
export function schemaInWords(schema: Schema): string {
  const rows = fieldsOf(schema)
  const closed = schema['additionalProperties'] === false ? 'It has no other fields.' : undefined
  const table = ['| field | required | type | description |', '|---|---|---|---|', ...rows].join('\n')
  const parts = [schema.description, rows.length > 0 ? table : `Type: ${typeOf(schema)}`, closed]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

/** Returns a row for each field, and for each field of an object inside, with its whole name. */
function fieldsOf({ properties = {}, required = [], items, anyOf }: Schema, before = ''): string[] {
  const inside = [items, ...(anyOf ?? [])].flatMap((part) =>
    part ? fieldsOf(part, items ? `${before}[]` : before) : [],
  )
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const full = before === '' ? name : `${before}.${name}`
    const isNeeded = required.includes(name) ? 'yes' : 'no'
    return [
      tableRow(`\`${full}\``, isNeeded, typeOf(field), field.description ?? ''),
      ...fieldsOf(field, full),
    ]
  })
  return [...own, ...inside]
}
