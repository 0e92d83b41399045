import { AssertionError, type AssertionErrorCode } from './errors.ts'

const LINE = 76

/**
 * Reads padded standard base64, wrapped or not. Like snapd, it skips CR and LF but nothing else; Node would
 * drop any unknown character. Throws {@link AssertionError} with `code` and the position of the first error;
 * the message begins with `what`.
 */
export function decodeBase64(text: string, what: string, code: AssertionErrorCode): Buffer {
  const bytes = Buffer.from(text, 'base64')
  // If encoding gives the same text again, nothing was lost. Otherwise, find the error.
  if (bytes.toString('base64') !== text.replaceAll('\n', '')) {
    const at = firstFault(text)
    if (at !== -1) {
      throw new AssertionError(code, `${what} is not base64: wrong character or padding at byte ${at}`)
    }
  }
  return bytes
}

/** Writes base64 in lines of 76 characters, without a newline at the end. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const lines: string[] = []
  for (let i = 0; i < text.length; i += LINE) lines.push(text.slice(i, i + LINE))
  return lines.join('\n')
}

/** Returns the position of the first character that base64 does not allow there, or -1. */
function firstFault(text: string): number {
  const notDigit = text.search(/[^A-Za-z0-9+/\r\n]/)
  const end = notDigit === -1 ? text.length : notDigit
  const digits = text.slice(0, end).replaceAll(/[\r\n]/g, '').length
  const padding = text.slice(end).replaceAll(/[\r\n]/g, '')
  if (padding === '=='.slice(0, (4 - (digits % 4)) % 4) && digits % 4 !== 1) return -1
  // If characters are missing at the end, report where the last, incomplete group of four begins.
  return notDigit === -1 ? text.length - (digits % 4) : notDigit
}
