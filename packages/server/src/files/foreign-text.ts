/** Reads text from other programs, such as a file from an editor on Windows or from PowerShell. */
import { TextDecoder } from 'node:util'

/** Either `text`, or `fault` with why the bytes are not text, phrased to follow the name of the file. */
type ForeignText =
  | { readonly text: string; readonly fault?: never }
  | { readonly text?: never; readonly fault: string }

const SAVE = 'Save it as UTF-8.'
const NOT_UTF8 = `is not UTF-8 text. ${SAVE}`
const NOT_UTF16 = `is not the UTF-16 text that its byte order mark announces. ${SAVE}`
const NO_MARK = `is UTF-16 without a byte order mark. ${SAVE}`

/** Decodes UTF-8, or UTF-16 with a byte order mark, without the mark. Never replaces bytes that are not text. */
function textIn(bytes: Uint8Array): ForeignText {
  const encoding = encodingOf(bytes)
  if (encoding === undefined) return { fault: NO_MARK }
  try {
    // A decoder drops the byte order mark of its own encoding.
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    return { fault: encoding === 'utf-8' ? NOT_UTF8 : NOT_UTF16 }
  }
}

/** Returns the text. Throws the error from `refuse` if the bytes are not text. */
export function textOr(bytes: Uint8Array, refuse: (fault: string) => Error): string {
  const { text, fault } = textIn(bytes)
  if (fault !== undefined) throw refuse(fault)
  return text
}

/** Like {@link textOr}, for a file that is read in pieces. A character can be split between two pieces. */
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
  // Files of fewer than four bytes were not decoded yet.
  if (first.length < 4) yield decoded(decoder, first, refuse)
  yield decoded(decoder, undefined, refuse)
}

function decoderOf(first: Uint8Array, refuse: (fault: string) => Error): TextDecoder {
  const encoding = encodingOf(first)
  if (encoding === undefined) throw refuse(NO_MARK)
  return new TextDecoder(encoding, { fatal: true })
}

function decoded(decoder: TextDecoder, chunk: Uint8Array | undefined, refuse: (fault: string) => Error) {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw refuse(decoder.encoding === 'utf-8' ? NOT_UTF8 : NOT_UTF16)
  }
}

/** Returns the name that `TextDecoder` uses; undefined for UTF-16 without a byte order mark. */
export function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  // No text that is read here has U+0000, and Latin letters in UTF-16 have one zero byte each.
  const zeros = [first, second, third, fourth].map((byte) => byte === 0)
  const alternating = (at: 0 | 1) =>
    bytes.length >= 4 && zeros.every((zero, index) => zero === (index % 2 === at))
  return alternating(0) || alternating(1) ? undefined : 'utf-8'
}
