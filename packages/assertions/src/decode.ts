import { assemble, type DecodeOptions } from './assemble.ts'
import type { UnverifiedAssertion } from './assertion.ts'
import { AssertionError } from './errors.ts'
import { parseHeaders } from './headers/parse-headers.ts'
import { checkLimit, DEFAULT_LIMITS, type Limits } from './limits.ts'
import { inputBytes, utf8 } from './text.ts'

/** The blank line between headers and body, and before the signature. */
export const SEPARATOR = '\n\n'

/**
 * Reads exactly one assertion. The body begins after the first blank line, the signature after the last one. So a blank
 * line at the end, or an extra newline before the signature, is refused here; `decodeStream` accepts both. Checks the
 * form and the headers of the type, not the signature.
 *
 * Throws {@link AssertionError} with a code of its text or its headers, `malformed-key` or `unsupported-key`.
 * contract/devices.md 3.1.
 */
export function decode(
  input: Uint8Array | string,
  limits: Limits = DEFAULT_LIMITS,
  options: DecodeOptions = {},
): UnverifiedAssertion {
  const { headerBytes, bodyBytes, signatureBytes } = limits
  const most = headerBytes + bodyBytes + SEPARATOR.length + signatureBytes
  const bytes = inputBytes(input, 'bytes in an assertion', most)
  const end = bytes.lastIndexOf(SEPARATOR)
  if (end === -1) throw new AssertionError('incomplete', 'no blank line before the signature')
  const content = bytes.subarray(0, end)
  const signature = bytes.subarray(end + SEPARATOR.length)
  return decodeParts(content, content.indexOf(SEPARATOR), signature, limits, options)
}

/**
 * Decodes the parts. `headerEnd` is where the blank line after the headers begins in the content; -1 without a body.
 */
export function decodeParts(
  content: Buffer,
  headerEnd: number,
  signature: Buffer,
  limits: Limits,
  options: DecodeOptions = {},
): UnverifiedAssertion {
  const head = headerEnd === -1 ? content : content.subarray(0, headerEnd)
  const body = headerEnd === -1 ? Buffer.alloc(0) : content.subarray(headerEnd + SEPARATOR.length)
  checkLimit('bytes in assertion headers', head.length + SEPARATOR.length, limits.headerBytes)
  checkLimit('bytes in an assertion body', body.length, limits.bodyBytes)
  checkLimit('bytes in an assertion signature', signature.length, limits.signatureBytes)
  const headers = parseHeaders(utf8(head, 'the header of the assertion'))
  return assemble({ headers, body, content, signature }, options)
}
