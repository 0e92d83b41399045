// Writes the canonical text of headers (contract/devices.md 3.3).

import { type Headers, type HeaderValue, isList, isMap } from './header-value.ts'

/**
 * Returns the lines of one header: none for a list or map that is empty, or that contains only empty ones. An
 * empty string is written.
 */
export function writeHeader(name: string, value: HeaderValue): string[] {
  const kept = withoutEmpty(value)
  return kept === undefined ? [] : writeValue(`${name}:`, 0, kept)
}

function writeValue(introduction: string, indent: number, value: HeaderValue): string[] {
  if (isList(value)) {
    const item = `${' '.repeat(indent + 2)}-`
    return [introduction, ...value.flatMap((entry) => writeValue(item, indent + 2, entry))]
  }
  if (isMap(value)) {
    const names = [...value.keys()].sort()
    const nested = ' '.repeat(indent + 2)
    return [
      introduction,
      ...names.flatMap((name) => writeValue(`${nested}${name}:`, indent + 2, value.get(name) ?? '')),
    ]
  }
  if (!value.includes('\n')) return [`${introduction} ${value}`]
  const prefix = ' '.repeat(indent + 4)
  return [introduction, ...value.split('\n').map((line) => prefix + line)]
}

function withoutEmpty(value: HeaderValue): HeaderValue | undefined {
  if (isList(value)) {
    const list = value.map(withoutEmpty).filter((item) => item !== undefined)
    return list.length === 0 ? undefined : list
  }
  if (isMap(value)) {
    const map = new Map<string, HeaderValue>()
    for (const [name, nested] of value as Headers) {
      const kept = withoutEmpty(nested)
      if (kept !== undefined) map.set(name, kept)
    }
    return map.size === 0 ? undefined : map
  }
  return value
}
