/** The private keys of brands. Each is sealed for its key id, so a row that is moved elsewhere can't be opened. */
import { createPrivateKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import {
  AssertionError,
  type PrivateKey,
  privateKeyFromKeyObject,
  privateKeyFromPem,
} from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import { KeyringError, OTHER_SECRET } from '../../keyring/errors.ts'
import { type Sealer, signingKeyPurpose } from '../../keyring/sealing.ts'
import { explainToOperator, type NamedFile } from '../assertion-file.ts'
import { readPgpKey } from './pgp-key.ts'
import { unfitKeyFile } from './unfit-key-file.ts'

/** Reads a private key from PEM or armored PGP. Throws `invalid-field`; the message reveals nothing about the key. */
export async function readPrivateKey(file: NamedFile, passphrase: string | undefined): Promise<PrivateKey> {
  const unfit = unfitKeyFile(file.bytes)
  if (unfit !== undefined) throw invalidField(`${file.name} ${unfit}`)
  const text = Buffer.from(file.bytes).toString('latin1')
  if (text.includes('-----BEGIN PGP')) {
    const key = await readPgpKey(file.name, text, passphrase)
    return explainToOperator(() => privateKeyFromKeyObject(key), file.name)
  }
  const encrypted = text.includes('ENCRYPTED')
  if (encrypted && passphrase === undefined) {
    throw invalidField(
      `${file.name} is encrypted. Pass --passphrase-stdin and its passphrase on standard input.`,
    )
  }
  try {
    return privateKeyFromPem(file.bytes, encrypted ? passphrase : undefined)
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    const unreadable = error.code === 'malformed-key'
    if (unreadable && encrypted) {
      throw invalidField(`${file.name} cannot be decrypted; is the passphrase right?`)
    }
    const why = unreadable ? 'has no private key that can be read' : `cannot be used: ${error.message}`
    throw invalidField(`${file.name} ${why}. Give an RSA private key as PEM or armored PGP.`)
  }
}

export function sealPrivateKey({ publicKey, keyObject }: PrivateKey, sealer: Sealer): Uint8Array {
  const der = keyObject.export({ format: 'der', type: 'pkcs8' })
  try {
    return sealer.seal(signingKeyPurpose(publicKey.id), der)
  } finally {
    der.fill(0)
  }
}

/** Throws {@link KeyringError} `damaged-key` if the row was changed. */
export function openPrivateKey(
  { keyId, sealed }: { readonly keyId: string; readonly sealed: Uint8Array },
  sealer: Sealer,
): PrivateKey {
  const der = sealer.unseal(signingKeyPurpose(keyId), sealed)
  if (der !== undefined) {
    const key = privateKeyFromKeyObject(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
    der.fill(0)
    if (key.publicKey.id === keyId) return key
  }
  throw new KeyringError(
    'damaged-key',
    `The signing key ${keyId} in the database was changed and cannot be used. Add it again with \`ratafia signing-keys add\`. ${OTHER_SECRET}`,
  )
}

const generate = promisify(generateKeyPair)

/** Generates RSA with 4096 bits, the minimum for signing (contract/devices.md 3.4), which needs some seconds. */
export async function generateSigningKey(): Promise<PrivateKey> {
  const { privateKey } = await generate('rsa', { modulusLength: 4096 })
  return privateKeyFromKeyObject(privateKey)
}

/** Returns PKCS#8 as PEM, encrypted with AES-256 if there is a passphrase. */
export const privateKeyToPem = ({ keyObject }: PrivateKey, passphrase?: string): string =>
  keyObject
    .export({
      format: 'pem',
      type: 'pkcs8',
      ...(passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }),
    })
    .toString()
