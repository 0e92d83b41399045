import { verify } from 'node:crypto'
import type { UnverifiedAssertion } from '../assertion.ts'
import { decodeBase64 } from '../base64.ts'
import { AssertionError } from '../errors.ts'
import { shown } from '../text.ts'

const HASHES = ['sha256', 'sha384', 'sha512'] as const

/**
 * Checks that the hardware signed a request id. The encoding is not published, so this accepts base64 (standard or
 * URL-safe, padded or not) of an RSA PKCS#1 v1.5 or an ECDSA ASN.1 signature over its text, with SHA-256, 384 or 512
 * (contract/devices.md 2.6).
 *
 * Throws {@link AssertionError} `malformed-signature` or `bad-signature`.
 */
export function verifyHardwareSignature(
  identity: UnverifiedAssertion<'hardware-identity'>,
  requestId: string,
  signatureText: string,
): void {
  const standard = signatureText
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '')
  const padded = standard.padEnd(Math.ceil(standard.length / 4) * 4, '=')
  const signature = decodeBase64(padded, 'the signature of the request id', 'malformed-signature')
  const { hardwareKey, hardwareId } = identity.fields
  if (HASHES.some((hash) => verify(hash, Buffer.from(requestId), hardwareKey, signature))) return
  throw new AssertionError(
    'bad-signature',
    `the request id is not signed with the key of hardware ${shown(hardwareId)}`,
  )
}
