import type { UnverifiedAssertion } from './assertion.ts'
import { SEPARATOR } from './decode.ts'

/** The media type of requests and answers with assertions. */
export const ASSERTION_MEDIA_TYPE = 'application/x.ubuntu.assertion'

type Encodable = Pick<UnverifiedAssertion, 'content' | 'signature'>

/** The bytes of one assertion: what was signed and its signature, both as received. Rewrites nothing. */
export function encode({ content, signature }: Encodable): Uint8Array {
  return Buffer.concat([content, Buffer.from(SEPARATOR), signature])
}

/** A stream: a blank line between assertions, one newline at the end. Nothing for no assertion. */
export function encodeStream(assertions: readonly Encodable[]): Uint8Array {
  const texts = assertions
    .map(encode)
    .map((bytes) => (bytes.at(-1) === 0x0a ? bytes : Buffer.concat([bytes, NEWLINE])))
  return Buffer.concat(texts.flatMap((bytes, i) => (i === 0 ? [bytes] : [NEWLINE, bytes])))
}

const NEWLINE = Buffer.from('\n')
