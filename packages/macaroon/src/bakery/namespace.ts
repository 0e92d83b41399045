import { BakeryError } from './errors.ts'

/** The prefix of conditions by their schema (a URI). For `std` it is empty: `time-before` has no prefix. */
export type Namespace = ReadonlyMap<string, string>

/** The namespace `std:` of `time-before`, `declared` and `error`, with an empty prefix. */
export const STANDARD_NAMESPACE: Namespace = new Map([['std', '']])

/**
 * Reads a namespace: items `uri:prefix`, separated by spaces, with the prefix after the last colon.
 * Throws {@link BakeryError} `malformed` for an item without a colon or a URI, and for a repeated URI.
 */
export function parseNamespace(text: string): Namespace {
  const namespace = new Map<string, string>()
  for (const item of text.split(/\s+/)) {
    if (item === '') continue
    const colon = item.lastIndexOf(':')
    const uri = item.slice(0, Math.max(colon, 0))
    if (uri === '') throw new BakeryError('malformed', 'An item of a namespace is not of the form uri:prefix')
    if (namespace.has(uri)) throw new BakeryError('malformed', 'A namespace has the same URI twice')
    namespace.set(uri, item.slice(colon + 1))
  }
  return namespace
}

/** Writes a namespace, sorted by URI. Throws `TypeError` for a URI or a prefix that can't be read back. */
export function formatNamespace(namespace: Namespace): string {
  const items: string[] = []
  for (const [uri, prefix] of namespace) {
    if (!/^\S+$/.test(uri) || /[\s:]/.test(prefix))
      throw new TypeError('A namespace has a URI or prefix with spaces')
    items.push(`${uri}:${prefix}`)
  }
  return items.sort().join(' ')
}
