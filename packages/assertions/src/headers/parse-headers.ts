// Parses the header grammar (contract/devices.md 3.2). Every line is read once, and nesting requires indentation, so
// the size of the block limits time and depth.

import { AssertionError } from '../errors.ts'
import { quote } from '../text.ts'
import type { Headers, HeaderValue } from './header-value.ts'

const NAME = /^[a-z](?:-?[a-z0-9])*$/

interface Cursor {
  readonly lines: readonly string[]
  at: number
}

/**
 * Reads headers, given without their last newline. Throws {@link AssertionError} `malformed-line`, `repeated-header`.
 */
export function parseHeaders(block: string): Headers {
  // Only LF ends a line; a CR belongs to the value.
  const cursor: Cursor = { lines: block.split('\n'), at: 0 }
  const headers = new Map<string, HeaderValue>()
  while (cursor.at < cursor.lines.length) readEntry(cursor, 0, headers)
  return headers
}

/** Throws {@link AssertionError} `malformed-line`. */
export function checkName(name: string): void {
  if (!NAME.test(name)) throw malformed(`not a header name: ${quote(name)}`)
}

function readEntry(cursor: Cursor, indent: number, into: Map<string, HeaderValue>): void {
  const entry = lineAt(cursor).slice(indent)
  const colon = entry.indexOf(':')
  if (colon === -1) throw malformed(`no ":" in a header line: ${quote(entry)}`)
  const name = entry.slice(0, colon)
  checkName(name)
  if (into.has(name)) throw new AssertionError('repeated-header', `header ${quote(name)} appears twice`)
  into.set(name, readValue(cursor, indent, entry, colon + 1))
}

/** Reads the value that begins `from` characters into `entry`, the current line without its indent. */
function readValue(cursor: Cursor, indent: number, entry: string, from: number): HeaderValue {
  cursor.at += 1
  if (entry.length > from) {
    if (entry[from] === ' ') return entry.slice(from + 1)
    throw malformed(`no space before the value in a header line: ${quote(entry)}`)
  }
  const nested = ' '.repeat(indent + 2)
  const next = lineAt(cursor)
  if (next.startsWith(`${nested}-`)) return readList(cursor, nested)
  if (next.startsWith(nested) && (next[nested.length] ?? ' ') !== ' ') return readMap(cursor, nested)
  return readLines(cursor, `${nested}  `, entry)
}

function readList(cursor: Cursor, prefix: string): HeaderValue[] {
  const list: HeaderValue[] = []
  while (lineAt(cursor).startsWith(`${prefix}-`)) {
    const item = lineAt(cursor).slice(prefix.length)
    list.push(readValue(cursor, prefix.length, item, 1))
  }
  return list
}

function readMap(cursor: Cursor, prefix: string): Headers {
  const map = new Map<string, HeaderValue>()
  while (lineAt(cursor).startsWith(prefix)) readEntry(cursor, prefix.length, map)
  return map
}

function readLines(cursor: Cursor, prefix: string, introduction: string): string {
  const lines: string[] = []
  while (lineAt(cursor).startsWith(prefix)) {
    lines.push(lineAt(cursor).slice(prefix.length))
    cursor.at += 1
  }
  if (lines.length > 0) return lines.join('\n')
  const rule = `a value below ${quote(introduction)} must be indented by ${prefix.length} spaces`
  throw malformed(`${rule}, but the next line is ${quote(lineAt(cursor))}`)
}

/** Returns the current line; after the last one an empty string, which no caller accepts as a line. */
function lineAt(cursor: Cursor): string {
  return cursor.lines[cursor.at] ?? ''
}

function malformed(fault: string): AssertionError {
  return new AssertionError('malformed-line', fault)
}
