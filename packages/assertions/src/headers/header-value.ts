/** A header's value: text, a list or a map, nested to any depth, with text as leaves. */
export type HeaderValue = string | readonly HeaderValue[] | Headers

/** Headers by name, in the order of the text. A map, not an object, so that `constructor` is just a name. */
export type Headers = ReadonlyMap<string, HeaderValue>

export function isMap(value: HeaderValue | undefined): value is Headers {
  return value instanceof Map
}

export function isList(value: HeaderValue | undefined): value is readonly HeaderValue[] {
  return Array.isArray(value)
}
