/** New private keys, and how they are written to files. */
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { type PrivateKey, privateKeyFromKeyObject } from '@ratafia/assertions'

const generate = promisify(generateKeyPair)

/** RSA with 4096 bits, what snapd generates and the least that signs (contract/devices.md 3.4). Takes some seconds. */
export async function generateSigningKey(): Promise<PrivateKey> {
  const { privateKey } = await generate('rsa', { modulusLength: 4096 })
  return privateKeyFromKeyObject(privateKey)
}

/** PKCS#8 as PEM; with a passphrase encrypted with AES-256. */
export const privateKeyToPem = ({ keyObject }: PrivateKey, passphrase?: string): string =>
  keyObject
    .export({
      format: 'pem',
      type: 'pkcs8',
      ...(passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }),
    })
    .toString()
