/**
 * Moves schemas that have a title into `components`, so that generated clients have one type for each, with that name.
 */

export interface Named {
  readonly value: unknown
  /** The schemas by title, sorted. */
  readonly schemas: Readonly<Record<string, unknown>>
}

/** Returns `value` with references instead of titled schemas. Throws `TypeError` if two schemas have the same title. */
export function nameSchemas(value: unknown): Named {
  const found = new Map<string, { readonly from: object; named: unknown }>()
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    const title = titleOf(node)
    if (title === undefined) return walkMembers(node)
    const known = found.get(title)
    if (known === undefined) {
      const entry = { from: node, named: undefined as unknown }
      found.set(title, entry)
      entry.named = walkMembers(node)
    } else if (JSON.stringify(known.from) !== JSON.stringify(node)) {
      throw new TypeError(`Two schemas have the title ${title}.`)
    }
    return { $ref: `#/components/schemas/${title}` }
  }
  const walkMembers = (node: object): object =>
    Object.fromEntries(
      Object.entries(withoutTwins(forGenerators(node))).map(([name, member]) => [name, walk(member)]),
    )
  const named = walk(value)
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return { value: named, schemas: Object.fromEntries(sorted.map(([title, entry]) => [title, entry.named])) }
}

/** Returns the title of a schema: `info` also has one, and a member of an example might. */
function titleOf(node: object): string | undefined {
  const { title, type, enum: values, anyOf } = node as Readonly<Record<string, unknown>>
  return typeof title === 'string' && (type ?? values ?? anyOf) !== undefined ? title : undefined
}

/**
 * Removes `error-list`, because it is the same name as `error_list` in most languages, and a client with both
 * does not compile. In the document the removed one is an additional property.
 */
function withoutTwins(node: object): object {
  const { properties, required, additionalProperties, ...rest } = node as SchemaOfObject
  if (typeof properties !== 'object' || properties === null) return node
  const isTwin = (name: string) => name.includes('-') && name.replaceAll('-', '_') in properties
  if (!Object.keys(properties).some(isTwin)) return node
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isTwin(name))),
    ...(required && { required: required.filter((name) => !isTwin(name)) }),
  }
}

interface SchemaOfObject {
  readonly properties?: object
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
}

/**
 * Rewrites an `anyOf` that only requires fields. Generators treat every `anyOf` as a choice between types and lose the
 * properties next to it. They leave the equivalent form (one of these is true: not all of them are false) alone.
 */
function forGenerators(node: object): object {
  const { anyOf, ...rest } = node as { readonly anyOf?: readonly object[] }
  const onlyRequires = anyOf?.every((one) => Object.keys(one).join() === 'required')
  return onlyRequires ? { ...rest, not: { allOf: anyOf?.map((not) => ({ not })) } } : node
}
