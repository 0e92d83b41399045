/** Private keys of brands at rest: PKCS#8, sealed for one key id, so that a row moved elsewhere opens nothing. */
import { createPrivateKey } from 'node:crypto'
import {
  AssertionError,
  type PrivateKey,
  privateKeyFromKeyObject,
  privateKeyFromPem,
} from '@ratafia/assertions'
import { KeyringError } from '../keyring/errors.ts'
import type { Sealer } from '../keyring/sealing.ts'
import { type NamedFile, refused } from './assertion-file.ts'

/** Reads a PEM private key. Throws `invalid-field`; the message holds nothing of the key. */
export function readPrivateKey(file: NamedFile, passphrase: string | undefined): PrivateKey {
  const text = Buffer.from(file.bytes).toString('latin1')
  if (text.includes('BEGIN PGP')) {
    throw refused(
      `${file.name} is a PGP key, which is not read. Export the key as PEM (PKCS#8) and give that instead.`,
    )
  }
  if (text.includes('ENCRYPTED') && passphrase === undefined) {
    throw refused(`${file.name} is encrypted. Give its passphrase on standard input with --passphrase-stdin.`)
  }
  try {
    return privateKeyFromPem(file.bytes, text.includes('ENCRYPTED') ? passphrase : undefined)
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    throw refused(`${file.name} is ${error.message}. Give an RSA private key as PEM.`)
  }
}

export function sealPrivateKey({ publicKey, keyObject }: PrivateKey, sealer: Sealer): Uint8Array {
  const der = keyObject.export({ format: 'der', type: 'pkcs8' })
  try {
    return sealer.seal(purposeOf(publicKey.id), der)
  } finally {
    der.fill(0)
  }
}

/** Throws {@link KeyringError} `damaged-key` when the row was changed. */
export function openPrivateKey(
  { keyId, sealed }: { readonly keyId: string; readonly sealed: Uint8Array },
  sealer: Sealer,
): PrivateKey {
  const der = sealer.unseal(purposeOf(keyId), sealed)
  if (der !== undefined) {
    const key = privateKeyFromKeyObject(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
    der.fill(0)
    if (key.publicKey.id === keyId) return key
  }
  throw new KeyringError(
    'damaged-key',
    `The signing key ${keyId} in the database was changed and cannot be used. Add it again with \`ratafia signing-keys add\`.`,
  )
}

const purposeOf = (keyId: string): string => `signing-key:${keyId}`
