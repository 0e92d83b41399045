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

/** Undefined for a text that is not a JSON object. */
export function objectIn(text: string): JsonObject | undefined {
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}

/** Neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
