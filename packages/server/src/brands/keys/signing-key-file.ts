/** New private keys, and their form in files. */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { type PrivateKey, privateKeyFromKeyObject } from '@ratafia/assertions'

const generate = promisify(generateKeyPair)

/**
 * Generates RSA with 4096 bits: what snapd generates, and the minimum for signing (contract/devices.md 3.4).
 * Needs some seconds.
 */
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
