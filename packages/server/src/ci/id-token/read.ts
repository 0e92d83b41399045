/** Reads an ID token within limits, without verifying anything (contract/oidc.md, A20). */
import { isUtf8 } from 'node:buffer'
import { objectDocumentIn, objectIn } from '../../foreign-json.ts'
import { ExchangeRefusal } from '../refusal.ts'
import { isStorable } from './claims.ts'
import type { Claims, UnverifiedHeader, UnverifiedIdToken } from './id-token.ts'

/** Limits in characters, checked before anything is decoded. */
const ID_TOKEN_LIMITS = { token: 16_384, header: 4096, issuer: 500 } as const

/**
 * Reads an ID token. If two members have the same name, the last one is used, as RFC 7519 allows. Throws only
 * {@link ExchangeRefusal} `malformed` or `too-large`.
 */
export function readIdToken(text: string): UnverifiedIdToken {
  if (text.length > ID_TOKEN_LIMITS.token) {
    throw new ExchangeRefusal('too-large', `The ID token is longer than ${ID_TOKEN_LIMITS.token} characters.`)
  }
  const [header, payload, signature, ...more] = text.split('.', 4)
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) {
    throw malformed('does not have the form header.payload.signature. Send it as the CI system returns it')
  }
  if (header.length > ID_TOKEN_LIMITS.header) {
    throw new ExchangeRefusal(
      'too-large',
      `The header of the ID token is longer than ${ID_TOKEN_LIMITS.header} characters.`,
    )
  }
  decode('signature', signature)
  // A claim that is null counts as absent. Members of the header don't, because they decide how the token is verified.
  const unverifiedHeader = readHeader(readObject('header', header, objectIn))
  const unverifiedClaims = readObject('payload', payload, objectDocumentIn)
  return { unverifiedHeader, unverifiedClaims, unverifiedIssuer: issuerOf(unverifiedClaims), text }
}

const malformed = (what: string, cause?: unknown) =>
  new ExchangeRefusal('malformed', `The ID token ${what}.`, { cause })

/** `Buffer` skips characters that are not base64url and ignores spare bits, so the text must match its re-encoding. */
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

/** Does not read `jku`, `x5u`, `jwk` and `x5c` (A17). */
function readHeader(header: Claims): UnverifiedHeader {
  const { alg, kid, typ } = header
  if (typeof alg !== 'string') throw malformed('has a header without "alg"')
  if (kid !== undefined && typeof kid !== 'string') throw malformed('has a "kid" that is not a string')
  if (typ !== undefined && typeof typ !== 'string') throw malformed('has a "typ" that is not a string')
  if (header['crit'] !== undefined) throw malformed('has a "crit" header. No extension is supported')
  return { alg, kid, typ }
}

function issuerOf({ iss }: Claims): string {
  if (typeof iss !== 'string') throw malformed('has no "iss", or one that is not a string')
  if (iss.length === 0 || iss.length > ID_TOKEN_LIMITS.issuer || !isStorable(iss)) {
    throw malformed(`has an "iss" that is not a string of 1 to ${ID_TOKEN_LIMITS.issuer} characters`)
  }
  return iss
}
