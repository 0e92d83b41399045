/** Reads an ID token within limits. Nothing is verified here (contract/oidc.md, A20). */
import { isUtf8 } from 'node:buffer'
import { objectDocumentIn, objectIn } from '../../foreign-json.ts'
import { ExchangeRefusal } from '../refusal.ts'
import { isStorable } from './claims.ts'
import type { Claims, UnverifiedHeader, UnverifiedIdToken } from './id-token.ts'

/** Characters. All of them are looked at before anything is decoded. */
const ID_TOKEN_LIMITS = { token: 16_384, header: 4096, issuer: 500 } as const

/**
 * Of two members of one name the last counts, as RFC 7519 allows. Throws {@link ExchangeRefusal} `malformed` or
 * `too-large`, and nothing else.
 */
export function readIdToken(text: string): UnverifiedIdToken {
  if (text.length > ID_TOKEN_LIMITS.token) {
    throw new ExchangeRefusal('too-large', `The ID token is longer than ${ID_TOKEN_LIMITS.token} characters.`)
  }
  const [header, payload, signature, ...more] = text.split('.', 4)
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) {
    throw malformed('is not of the form header.payload.signature. Send it as the CI system gives it')
  }
  if (header.length > ID_TOKEN_LIMITS.header) {
    throw new ExchangeRefusal(
      'too-large',
      `The header of the ID token is longer than ${ID_TOKEN_LIMITS.header} characters.`,
    )
  }
  decode('signature', signature)
  // A claim that is null is absent. The header stays as it is: what it says decides how the token is verified.
  const unverifiedHeader = readHeader(readObject('header', header, objectIn))
  const unverifiedClaims = readObject('payload', payload, objectDocumentIn)
  return { unverifiedHeader, unverifiedClaims, unverifiedIssuer: issuerOf(unverifiedClaims), text }
}

const malformed = (what: string, cause?: unknown) =>
  new ExchangeRefusal('malformed', `The ID token ${what}.`, { cause })

/** `Buffer` skips characters that are not base64url, and ignores spare bits: the text must be what it would write. */
function decode(part: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw malformed(`has a ${part} that is not base64url`)
  return bytes
}

function readObject(part: string, text: string, parse: typeof objectIn): Claims {
  const bytes = decode(part, text)
  const value = isUtf8(bytes) ? parse(bytes.toString()) : undefined
  if (value === undefined) throw malformed(`has a ${part} that is not a JSON object`)
  return value
}

/** `jku`, `x5u`, `jwk` and `x5c` are not read (A17). */
function readHeader(header: Claims): UnverifiedHeader {
  const { alg, kid, typ } = header
  if (typeof alg !== 'string') throw malformed('has a header without "alg"')
  if (kid !== undefined && typeof kid !== 'string') throw malformed('has a "kid" that is not a text')
  if (typ !== undefined && typeof typ !== 'string') throw malformed('has a "typ" that is not a text')
  if (header['crit'] !== undefined) throw malformed('has a "crit" header. No extension is supported')
  return { alg, kid, typ }
}

function issuerOf({ iss }: Claims): string {
  if (typeof iss !== 'string') throw malformed('has no "iss", or one that is not a text')
  if (iss.length === 0 || iss.length > ID_TOKEN_LIMITS.issuer || !isStorable(iss)) {
    throw malformed(`has an "iss" that is not a text of 1 to ${ID_TOKEN_LIMITS.issuer} characters`)
  }
  return iss
}
