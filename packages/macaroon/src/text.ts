import { isUtf8 } from 'node:buffer'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8, or returns undefined. Keeps a byte order mark, because a signed text must not change. */
export function utf8(bytes: Uint8Array): string | undefined {
  // Without this check the decoder would throw, which costs 4 µs for each binary identifier that is written.
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined
}

/** Encodes a caller's text. Throws `TypeError` for a lone surrogate, which UTF-8 can't encode. */
export function utf8Bytes(text: string, what: string): Uint8Array {
  if (!text.isWellFormed()) throw new TypeError(`${what} has a lone surrogate and is not text`)
  return Buffer.from(text, 'utf8')
}
