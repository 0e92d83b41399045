/** Reads JSON from other programs: it can have any form, or not be JSON at all. */

export type JsonObject = Readonly<Record<string, unknown>>

/** Returns undefined for a string that is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Like {@link jsonIn}, for documents in which a null member means an absent one. Null items of lists stay. */
export function documentIn(text: string): unknown {
  const value = jsonIn(text)
  // Most documents have no null, and a reviver makes reading them several times slower.
  return text.includes('null') ? withoutNulls(value) : value
}

/** Does what {@link documentIn} does; undefined for a string that is not a JSON object. */
export function objectDocumentIn(text: string): JsonObject | undefined {
  const value = documentIn(text)
  return isObject(value) ? value : undefined
}

/** Deeper levels are left unchanged: no real document has them, and this bounds the stack. */
const MOST_LEVELS = 32

/** Returns the value without null members of objects. */
function withoutNulls(value: unknown, levels = MOST_LEVELS): unknown {
  if (levels === 0) return value
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, levels - 1))
  if (!isObject(value)) return value
  // `fromEntries` and not assignment: a member may be called `__proto__`.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member, levels - 1)]),
  )
}

/** Returns undefined for a string that is not a JSON object. */
export function objectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}

/** Whether a value is an object, and neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the objects in a list; none if the value is not a list. */
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
