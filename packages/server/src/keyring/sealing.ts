/**
 * Sealing of what lies in the database: AES-256-GCM under keys derived from the secret key of the installation.
 *
 *   sealed = 0x01 | nonce 12 | ciphertext | tag 16
 *   key    = HKDF-SHA256(secret, info "ratafia sealing " | purpose),   additional data = 0x01 | purpose
 *
 * A purpose names one place ("root-key:3"), so that a sealed value moved to another row opens nothing. Random
 * nonces are safe here: a purpose seals a handful of values, not billions.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface Sealer {
  seal(purpose: string, plaintext: Uint8Array): Buffer
  /** Undefined if it was sealed for another purpose, under another secret, or changed. */
  unseal(purpose: string, sealed: Uint8Array): Buffer | undefined
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MIN_SECRET_BYTES = 32

/** Seals under `secret`: at least 32 bytes that nobody can guess. */
export function createSealer(secret: Uint8Array): Sealer {
  if (secret.length < MIN_SECRET_BYTES) {
    throw new TypeError(`A secret key has at least ${MIN_SECRET_BYTES} bytes, this one has ${secret.length}.`)
  }
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `ratafia sealing ${purpose}`, 32))

  return {
    seal(purpose, plaintext) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce).setAAD(additionalData(purpose))
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, ciphertext, cipher.getAuthTag()])
    },

    unseal(purpose, sealed) {
      const bytes = Buffer.from(sealed)
      if (bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), nonce, { authTagLength: TAG_BYTES })
        .setAAD(additionalData(purpose))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const start = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES))
        return Buffer.concat([start, decipher.final()])
      } catch {
        // The tag did not match: that is all GCM ever says.
        return undefined
      }
    },
  }
}

function additionalData(purpose: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(purpose, 'utf8')])
}
