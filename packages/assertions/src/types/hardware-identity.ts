import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { decodeBase64 } from '../base64.ts'
import { AssertionError } from '../errors.ts'
import { accountId, digest, faulty, hardwareName, optionalTimestamp, text } from '../headers/header-checks.ts'
import { quote } from '../text.ts'
import type { TypeRow } from './row.ts'

export interface HardwareIdentityFields {
  readonly issuerId: string
  readonly manufacturer: string
  readonly hardwareName: string
  readonly hardwareId: string
  readonly hardwareKeyId: string
  /** An RSA or elliptic curve key. */
  readonly hardwareKey: KeyObject
  readonly timestamp: Date | undefined
}

/** The statement of which key is built into a piece of hardware. */
export const hardwareIdentity: TypeRow<HardwareIdentityFields> = {
  authority: true,
  primaryKey: ['issuer-id', 'hardware-id-key-sha3-384'],
  maxFormat: 0,
  read: ({ headers, authorityId }) => {
    const issuerId = accountId(headers, 'issuer-id')
    if (issuerId !== authorityId) {
      const fault = `is ${quote(issuerId)}, but ${quote(authorityId)} signs`
      throw faulty('issuer-id', fault, 'header-mismatch')
    }
    const encoded = text(headers, 'hardware-id-key')
    const hardwareKeyId = digest(headers, 'hardware-id-key-sha3-384')
    // The digest covers the header's text, not the key (contract/devices.md 3.7).
    if (createHash('sha3-384').update(encoded).digest('base64url') !== hardwareKeyId) {
      throw faulty('hardware-id-key', 'does not match "hardware-id-key-sha3-384"', 'header-mismatch')
    }
    return {
      issuerId,
      manufacturer: text(headers, 'manufacturer'),
      hardwareName: hardwareName(headers),
      hardwareId: text(headers, 'hardware-id'),
      hardwareKeyId,
      hardwareKey: readKey(encoded),
      timestamp: optionalTimestamp(headers, 'timestamp'),
    }
  },
}

/** Reads a PKIX public key, encoded like the body of a PEM file. */
function readKey(encoded: string): KeyObject {
  const der = decodeBase64(encoded, 'header "hardware-id-key"', 'malformed-key')
  const key = importKey(der)
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ec') {
    throw new AssertionError(
      'unsupported-key',
      'header "hardware-id-key" is not an RSA or elliptic curve key',
    )
  }
  return key
}

function importKey(der: Buffer): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' })
  } catch (cause) {
    throw new AssertionError('malformed-key', 'header "hardware-id-key" is not a PKIX public key', { cause })
  }
}
