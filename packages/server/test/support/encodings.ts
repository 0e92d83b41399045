/** Text in the encodings that Windows programs use for files. */

const utf16le = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

export const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16, little endian': utf16le,
  'UTF-16, big endian': (text) => utf16le(text).swap16(),
}

/** Bytes that are not text, and the message that every reader refuses them with. */
export const NOT_TEXT: Readonly<Record<string, readonly [bytes: (text: string) => Buffer, message: RegExp]>> =
  {
    'UTF-16 without a byte order mark': [
      (text) => Buffer.from(text, 'utf16le'),
      /is UTF-16 without a byte order mark\. Save it as UTF-8\./,
    ],
    'a text in Latin-1': [
      (text) => Buffer.concat([Buffer.from(text), Buffer.from('\xe9', 'latin1')]),
      /is not UTF-8 text\. Save it as UTF-8\./,
    ],
    'half of a UTF-16 text': [
      (text) => utf16le(text).subarray(0, -1),
      /is not the UTF-16 text .* Save it as UTF-8\./,
    ],
  }
