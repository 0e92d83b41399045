// Bytes and text, and how a stranger's text is shown in a message.

import { AssertionError } from './errors.ts'
import { checkLimit } from './limits.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text; throws {@link AssertionError} `not-text` when the bytes are not UTF-8. Keeps a byte order mark. */
export function utf8(bytes: Uint8Array, what: string): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new AssertionError('not-text', `${what} is not UTF-8`)
  }
}

/**
 * A copy of the bytes, so that no caller can change them later; text as UTF-8. At most `limit` bytes: what is
 * larger is not even copied.
 */
export function inputBytes(input: Uint8Array | string, what: string, limit: number): Buffer {
  checkLimit(what, input.length, limit)
  if (typeof input !== 'string') return Buffer.from(input)
  // JSON can contain a lone surrogate, so this is the sender's mistake, not a TypeError.
  if (!input.isWellFormed()) throw new AssertionError('not-text', 'the assertion is not UTF-8')
  checkLimit(what, Buffer.byteLength(input), limit)
  return Buffer.from(input, 'utf8')
}

/** Longest stretch of foreign text in a message: a header can have 128 KiB. */
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

/** In quotes and on one line, with escapes as in Go; long texts are cut. */
export function quote(text: string): string {
  return `"${shown(text, /["\\]|\p{C}|[^\P{Z} ]/gu)}"`
}

/** On one line, without quotes; long texts are cut. */
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
