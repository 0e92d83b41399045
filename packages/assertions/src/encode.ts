import type { UnverifiedAssertion } from './assertion.ts'
import { SEPARATOR } from './decode.ts'

/** The media type of requests and responses with assertions. */
export const ASSERTION_MEDIA_TYPE = 'application/x.ubuntu.assertion'

type Encodable = Pick<UnverifiedAssertion, 'content' | 'signature'>

/** Returns the bytes of one assertion: the signed content and the signature, both as received. */
export function encode({ content, signature }: Encodable): Uint8Array {
  return Buffer.concat([content, Buffer.from(SEPARATOR), signature])
}

/** Returns a stream with a blank line between assertions and a newline at the end; empty without assertions. */
export function encodeStream(assertions: readonly Encodable[]): Uint8Array {
  const texts = assertions
    .map(encode)
    .map((bytes) => (bytes.at(-1) === 0x0a ? bytes : Buffer.concat([bytes, NEWLINE])))
  return Buffer.concat(texts.flatMap((bytes, i) => (i === 0 ? [bytes] : [NEWLINE, bytes])))
}

const NEWLINE = Buffer.from('\n')
