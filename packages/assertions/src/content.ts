// Writes the canonical text that is signed (contract/devices.md 3.3).

import { SEPARATOR } from './decode.ts'
import { AssertionError } from './errors.ts'
import { count, inType, optionalText } from './headers/header-checks.ts'
import type { Headers, HeaderValue } from './headers/header-value.ts'
import { checkName } from './headers/parse-headers.ts'
import { writeHeader } from './headers/write-headers.ts'
import { TYPES, type TypeName } from './types/registry.ts'

/** A header's value to write. Null, undefined, empty lists and empty maps are left out. */
export type HeaderInput =
  | string
  | null
  | undefined
  | readonly HeaderInput[]
  | ReadonlyMap<string, HeaderInput>
  | { readonly [name: string]: HeaderInput }

export interface SigningInput<Type extends TypeName = TypeName> {
  readonly type: Type
  /**
   * All headers except `type`, `body-length` and `sign-key-sha3-384`, which are derived from the rest and overwritten
   * here, so you can sign the headers of a decoded assertion again. `format` defaults to the lowest that they need.
   */
  readonly headers: ReadonlyMap<string, HeaderInput> | { readonly [name: string]: HeaderInput }
  /** The body, in UTF-8; an empty one is left out. */
  readonly body?: string | Uint8Array
}

/** Writes content in canonical order. Throws `AssertionError` or `TypeError`. */
export function writeContent(input: SigningInput, signKeyId: string): Buffer {
  const headers = readInput(input.headers)
  const body = bodyBytes(input.body ?? '')
  const row = TYPES[input.type]
  const format = formatOf(input.type, headers)
  const revision = inType(input.type, () => count(headers, 'revision'))
  const head = new Map<string, HeaderValue>([['type', input.type]])
  if (format > 0) head.set('format', String(format))
  if (row.authority) setExisting(head, headers, 'authority-id')
  if (revision > 0) head.set('revision', String(revision))
  for (const name of row.primaryKey) setExisting(head, headers, name)
  const derived = new Set([...head.keys(), 'format', 'revision', 'body-length', SIGN_KEY])
  for (const name of [...headers.keys()].sort()) {
    if (!derived.has(name)) setExisting(head, headers, name)
  }
  if (body.length > 0) head.set('body-length', String(body.length))
  head.set(SIGN_KEY, signKeyId)
  const lines = [...head].flatMap(([name, value]) => writeHeader(name, value)).join('\n')
  return Buffer.concat([Buffer.from(lines), ...(body.length > 0 ? [Buffer.from(SEPARATOR), body] : [])])
}

const SIGN_KEY = 'sign-key-sha3-384'

function bodyBytes(body: string | Uint8Array): Buffer {
  if (typeof body !== 'string') return Buffer.from(body)
  if (!body.isWellFormed()) throw new TypeError('a body has a lone surrogate and is not text')
  return Buffer.from(body, 'utf8')
}

function setExisting(into: Map<string, HeaderValue>, headers: Headers, name: string): void {
  const value = headers.get(name)
  if (value !== undefined) into.set(name, value)
}

function formatOf(type: TypeName, headers: Headers): number {
  const { maxFormat, formatOf } = TYPES[type]
  const [given, needed] = [inType(type, () => count(headers, 'format')), formatOf?.(headers) ?? 0]
  const format = optionalText(headers, 'format') === undefined ? needed : given
  if (format > maxFormat || format < needed) {
    const range = format < needed ? `its headers need ${needed}` : `the newest known is ${maxFormat}`
    throw new AssertionError('unsupported-format', `a new ${type} cannot have format ${format}: ${range}`)
  }
  return format
}

function readInput(input: SigningInput['headers']): Headers {
  const value = readValue(input)
  return value instanceof Map ? value : new Map()
}

/** Reads a value to write, and checks its shape, since JavaScript callers have no compiler. */
function readValue(input: HeaderInput): HeaderValue | undefined {
  if (input === null || input === undefined) return undefined
  if (typeof input === 'string') {
    if (!input.isWellFormed()) throw new TypeError('a header has a lone surrogate and is not text')
    return input
  }
  if (Array.isArray(input)) return readList(input)
  if (typeof input !== 'object')
    throw new TypeError(`a header is text, a list or a map, not a ${typeof input}`)
  const entries = input instanceof Map ? [...input] : Object.entries(input)
  return new Map(
    entries.flatMap(([name, value]) => {
      // A name with a line break would become another header.
      checkName(name)
      const read = readValue(value)
      return read === undefined ? [] : [[name, read] as const]
    }),
  )
}

function readList(list: readonly HeaderInput[]): HeaderValue[] {
  return list.map(readValue).filter((item) => item !== undefined)
}
