/** Reads text that somebody else wrote, such as a file from an editor on Windows or from PowerShell. */
import { TextDecoder } from 'node:util'

/** `text`, or `fault`: why the bytes are not text, to follow the name of the file. */
type ForeignText =
  | { readonly text: string; readonly fault?: never }
  | { readonly text?: never; readonly fault: string }

const SAVE = 'Save it as UTF-8.'
const NOT_UTF8 = `is not UTF-8 text. ${SAVE}`
const NOT_UTF16 = `is not the UTF-16 text that its first bytes announce. ${SAVE}`
const NO_MARK = `is UTF-16 without a byte order mark. ${SAVE}`

/**
 * UTF-8, or UTF-16 with a byte order mark. The mark is no part of the text. Bytes that are not text are a fault:
 * replacement characters would make another text than the one that was given.
 */
function textIn(bytes: Uint8Array): ForeignText {
  const encoding = encodingOf(bytes)
  if (encoding === undefined) return { fault: NO_MARK }
  try {
    // A decoder drops the mark of its own encoding.
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    return { fault: encoding === 'utf-8' ? NOT_UTF8 : NOT_UTF16 }
  }
}

/** The text, or what `refuse` makes of the fault is thrown. */
export function textOr(bytes: Uint8Array, refuse: (fault: string) => Error): string {
  const { text, fault } = textIn(bytes)
  if (fault !== undefined) throw refuse(fault)
  return text
}

/** As {@link textOr}, of a file that is read piece by piece; a character may be split between two. */
export async function* textsOr(
  chunks: AsyncIterable<Uint8Array>,
  refuse: (fault: string) => Error,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let first = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (decoder) {
      yield decoded(decoder, chunk, refuse)
      continue
    }
    first = Buffer.concat([first, chunk])
    if (first.length < 4) continue
    decoder = decoderOf(first, refuse)
    yield decoded(decoder, first, refuse)
  }
  decoder ??= decoderOf(first, refuse)
  // Shorter files were not decoded yet.
  if (first.length < 4) yield decoded(decoder, first, refuse)
  yield decoded(decoder, undefined, refuse)
}

function decoderOf(first: Uint8Array, refuse: (fault: string) => Error): TextDecoder {
  const encoding = encodingOf(first)
  if (encoding === undefined) throw refuse(NO_MARK)
  return new TextDecoder(encoding, { fatal: true })
}

function decoded(
  decoder: TextDecoder,
  chunk: Uint8Array | undefined,
  refuse: (fault: string) => Error,
): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw refuse(decoder.encoding === 'utf-8' ? NOT_UTF8 : NOT_UTF16)
  }
}

/** The name that `TextDecoder` knows; undefined for UTF-16 that does not say its byte order. */
export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  // No text that is read here has U+0000; Latin letters in UTF-16 have a zero each.
  const zeros = [first, second, third, fourth].map((byte) => byte === 0)
  const alternating = (at: 0 | 1) =>
    bytes.length >= 4 && zeros.every((zero, index) => zero === (index % 2 === at))
  return alternating(0) || alternating(1) ? undefined : 'utf-8'
}
