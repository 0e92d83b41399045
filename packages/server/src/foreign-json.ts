/** Reads JSON that somebody else wrote: it may have any form, or not be JSON at all. */

export type JsonObject = Readonly<Record<string, unknown>>

/** Undefined for a text that is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * As {@link jsonIn}, for documents in which an optional member may be written as null: such a member counts as absent.
 * Members of lists stay.
 */
export function documentIn(text: string): unknown {
  const value = jsonIn(text)
  // Most documents have no null, and a reviver makes reading them several times slower.
  return text.includes('null') ? withoutNulls(value) : value
}

/** As {@link documentIn}. Undefined for a text that is not a JSON object. */
export function objectDocumentIn(text: string): JsonObject | undefined {
  const value = documentIn(text)
  return isObject(value) ? value : undefined
}

/** Deeper levels are left as they are: no document has them, and the stack is bounded. */
const MOST_LEVELS = 32

/** The value without members of objects that are null. */
function withoutNulls(value: unknown, levels = MOST_LEVELS): unknown {
  if (levels === 0) return value
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, levels - 1))
  if (!isObject(value)) return value
  // Not a literal's assignment: a member may be called `__proto__`.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member, levels - 1)]),
  )
}

/** Undefined for a text that is not a JSON object. */
export function objectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}

/** Neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
