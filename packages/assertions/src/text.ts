// Converts bytes and text, and prepares a stranger's text for a message.

import { AssertionError } from './errors.ts'
import { checkLimit } from './limits.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8 and keeps a byte order mark. Throws {@link AssertionError} `not-text` for other bytes. */
export function utf8(bytes: Uint8Array, what: string): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new AssertionError('not-text', `${what} is not UTF-8`)
  }
}

/**
 * Copies the input, as UTF-8 if it is text, so that no caller can change it later. Checks the limit in bytes before it
 * copies.
 */
export function inputBytes(input: Uint8Array | string, what: string, limit: number): Buffer {
  checkLimit(what, input.length, limit)
  if (typeof input !== 'string') return Buffer.from(input)
  // Text from JSON can contain a lone surrogate, so this is the sender's mistake and not a TypeError.
  if (!input.isWellFormed()) throw new AssertionError('not-text', 'the assertion is not UTF-8')
  checkLimit(what, Buffer.byteLength(input), limit)
  return Buffer.from(input, 'utf8')
}

/** The maximum number of characters of foreign text in a message; a header can have 128 KiB. */
const SHOWN = 200
const NAMED: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
])

/** Quotes a string on one line, with escapes as in Go, and cuts a long one. */
export function quote(text: string): string {
  return `"${shown(text, /["\\]|\p{C}|[^\P{Z} ]/gu)}"`
}

/** Returns a string on one line, without quotes, and cuts a long one. */
export function shown(text: string, unprintable = /\p{C}|[^\P{Z} ]/gu): string {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return cut.replaceAll(unprintable, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    const code = character.codePointAt(0) as number
    return NAMED.get(character) ?? (code < 0x80 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`)
  })
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
