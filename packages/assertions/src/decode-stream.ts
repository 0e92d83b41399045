import type { DecodeOptions } from './assemble.ts'
import type { UnverifiedAssertion } from './assertion.ts'
import { decodeParts, SEPARATOR } from './decode.ts'
import { AssertionError } from './errors.ts'
import { integer } from './headers/header-checks.ts'
import { parseHeaders } from './headers/parse-headers.ts'
import { checkLimit, DEFAULT_LIMITS, type Limits } from './limits.ts'
import { inputBytes, utf8 } from './text.ts'

/**
 * Reads a stream of assertions and returns all of them, or throws. An empty stream gives an empty list. The length of
 * a body is its `body-length`, and a signature ends at the next blank line. One extra newline before a signature is
 * accepted and dropped: it is not signed, and {@link decode} would refuse it. So {@link decode} reads every result,
 * once encoded again, as the same assertion. Makes the same checks as {@link decode}, and throws the same errors.
 *
 * contract/devices.md 3.1.
 */
export function decodeStream(
  input: Uint8Array | string,
  limits: Limits = DEFAULT_LIMITS,
  options: DecodeOptions = {},
): UnverifiedAssertion[] {
  return [...iterateStream(input, limits, options)]
}

/**
 * Like {@link decodeStream}, but yields the assertions one by one, so those before an invalid one are read
 * before it throws.
 */
export function* iterateStream(
  input: Uint8Array | string,
  limits: Limits = DEFAULT_LIMITS,
  options: DecodeOptions = {},
): Generator<UnverifiedAssertion, void, undefined> {
  const bytes = inputBytes(input, 'bytes in a stream of assertions', limits.streamBytes)
  let at = 0
  for (let read = 1; at < bytes.length; read++) {
    checkLimit('assertions in a stream', read, limits.assertions)
    const [assertion, next] = readAt(bytes, at, limits, options)
    yield assertion
    at = next
  }
}

function readAt(
  bytes: Buffer,
  start: number,
  limits: Limits,
  options: DecodeOptions,
): readonly [assertion: UnverifiedAssertion, next: number] {
  const headerEnd = bytes.indexOf(SEPARATOR, start)
  const headerBytes = (headerEnd === -1 ? bytes.length : headerEnd + SEPARATOR.length) - start
  checkLimit('bytes in assertion headers', headerBytes, limits.headerBytes)
  if (headerEnd === -1) throw new AssertionError('incomplete', 'no blank line after the headers')
  const bodyStart = headerEnd + SEPARATOR.length
  const bodyEnd = bodyStart + bodyLength(bytes.subarray(start, headerEnd), limits)
  if (bodyEnd > bytes.length) throw new AssertionError('incomplete', 'the stream ends inside a body')
  const separated = bytes.toString('latin1', bodyEnd, bodyEnd + SEPARATOR.length) === SEPARATOR
  if (!separated && bodyEnd > bodyStart) {
    throw new AssertionError('incomplete', 'no blank line between the body and the signature')
  }
  const [signature, next] = signatureAt(bytes, separated ? bodyEnd + SEPARATOR.length : bodyEnd)
  const content = bytes.subarray(start, separated ? bodyEnd : headerEnd)
  return [decodeParts(content, separated ? headerEnd - start : -1, signature, limits, options), next]
}

/** Returns how many bytes of body to skip. `assemble` checks that the body has this length. */
function bodyLength(head: Buffer, limits: Limits): number {
  const headers = parseHeaders(utf8(head, 'the header of the assertion'))
  const length = integer(headers, 'body-length')
  checkLimit('bytes in an assertion body', length, limits.bodyBytes)
  return Math.max(length, 0)
}

/** Returns the text up to the next blank line, with the newline at its end but without one at its start. */
function signatureAt(bytes: Buffer, from: number): readonly [signature: Buffer, next: number] {
  const start = bytes[from] === NEWLINE && bytes[from + 1] !== NEWLINE ? from + 1 : from
  const end = bytes.indexOf(SEPARATOR, start)
  return end === -1
    ? [bytes.subarray(start), bytes.length]
    : [bytes.subarray(start, end + 1), end + SEPARATOR.length]
}

const NEWLINE = 0x0a
