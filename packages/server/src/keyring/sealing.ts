/**
 * Seals values in the database: AES-256-GCM under keys derived from the secret key of the installation.
 *
 *   sealed = 0x01 | nonce 12 | ciphertext | tag 16
 *   nonce  = key id 4 | random 8,   key id = HKDF-SHA256(secret, info "ratafia sealing key id")
 *   key    = HKDF-SHA256(secret, info "ratafia sealing " | purpose),   additional data = 0x01 | purpose
 *
 * A purpose names one place ("root-key:3"), so a sealed value does not open if it is moved to another row.
 * Eight random bytes are enough for the nonce, because a purpose seals a handful of values, not billions.
 *
 * The key id shows which secret sealed a value, so that a change of the secret can be followed. It is only a
 * hint: the right secret is the one that opens the value.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Secrets, each with at least 32 unguessable bytes. */
export interface Secrets {
  /** The secret that seals and opens. */
  readonly current: Uint8Array
  /** The former secret, which only opens. */
  readonly previous?: Uint8Array | undefined
}

export interface Sealer {
  seal(purpose: string, plaintext: Uint8Array): Buffer
  /** Returns the value; undefined if it was sealed for a different purpose, under another secret, or changed. */
  unseal(purpose: string, sealed: Uint8Array): Buffer | undefined
  /** Whether the current secret opens it. */
  isCurrent(purpose: string, sealed: Uint8Array): boolean
  /** Returns eight hexadecimal digits for the current secret, then the previous one, to distinguish them. */
  keyIds(): readonly [current: string, previous?: string]
}

declare module '../stores.ts' {
  interface Stores {
    readonly sealer: Sealer
  }
}

const VERSION = 1
const NONCE_BYTES = 12
const KEY_ID_BYTES = 4
const TAG_BYTES = 16
const MIN_SECRET_BYTES = 32
const REREAD_MS = 1_000

/**
 * Creates a sealer that seals under `current` and opens values sealed under `current` or `previous`. If a
 * value does not open, it calls `reread` for newer secrets, at most once a second, so a running node follows
 * a change of the files.
 */
export function createSealer(given: Secrets | Uint8Array, reread?: () => Secrets | undefined): Sealer {
  let keys = sealingKeys(given)
  let rereadAt = Number.NEGATIVE_INFINITY
  const open = (purpose: string, sealed: Uint8Array): Buffer | undefined => {
    for (const key of keys) {
      const plaintext = unsealWith(key, purpose, sealed)
      if (plaintext) return plaintext
    }
    return undefined
  }
  const readAgain = (): boolean => {
    if (!reread || performance.now() - rereadAt < REREAD_MS) return false
    rereadAt = performance.now()
    const secrets = reread()
    if (!secrets) return false
    keys = sealingKeys(secrets)
    return true
  }

  return {
    seal(purpose, plaintext) {
      const [{ id, secret }] = keys
      const nonce = Buffer.concat([id, randomBytes(NONCE_BYTES - KEY_ID_BYTES)])
      const cipher = createCipheriv('aes-256-gcm', keyFor(secret, purpose), nonce).setAAD(
        additionalData(purpose),
      )
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, ciphertext, cipher.getAuthTag()])
    },
    unseal: (purpose, sealed) => open(purpose, sealed) ?? (readAgain() ? open(purpose, sealed) : undefined),
    isCurrent: (purpose, sealed) => unsealWith(keys[0], purpose, sealed) !== undefined,
    keyIds: () => {
      const [current, previous] = keys
      const id = current.id.toString('hex')
      return previous ? [id, previous.id.toString('hex')] : [id]
    },
  }
}

interface SealingKey {
  readonly id: Buffer
  readonly secret: Uint8Array
}

function sealingKeys(given: Secrets | Uint8Array): readonly [SealingKey, SealingKey?] {
  const { current, previous } = given instanceof Uint8Array ? { current: given, previous: undefined } : given
  return previous ? [sealingKey(current), sealingKey(previous)] : [sealingKey(current)]
}

function sealingKey(secret: Uint8Array): SealingKey {
  if (secret.length < MIN_SECRET_BYTES) {
    throw new TypeError(
      `A secret key must have at least ${MIN_SECRET_BYTES} bytes; this one has ${secret.length}.`,
    )
  }
  return { id: derived(secret, 'ratafia sealing key id', KEY_ID_BYTES), secret }
}

function unsealWith(key: SealingKey | undefined, purpose: string, sealed: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(sealed)
  if (!key || bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keyFor(key.secret, purpose), nonce, {
    authTagLength: TAG_BYTES,
  })
    .setAAD(additionalData(purpose))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const start = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([start, decipher.final()])
  } catch {
    // The tag did not match: GCM does not fail for any other reason.
    return undefined
  }
}

const keyFor = (secret: Uint8Array, purpose: string): Buffer =>
  derived(secret, `ratafia sealing ${purpose}`, 32)

const derived = (secret: Uint8Array, info: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', info, bytes))

function additionalData(purpose: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(purpose, 'utf8')])
}

/** The purpose of each sealed value: its place in the database. A change of the secret key must know all of them. */
export const rootKeyPurpose = (id: number): string => `root-key:${id}`

export const keyPairSealingPurpose = ({ id, purpose }: { id: number; purpose: string }): string =>
  `key-pair:${purpose}:${id}`

/** The purpose of a brand's private key. */
export const signingKeyPurpose = (keyId: string): string => `signing-key:${keyId}`

/** The purpose of a second factor's secret. */
export const secondFactorPurpose = (id: string): string => `second-factor:${id}`

export const SEAL_CHECK_PURPOSE = 'seal-check'

/** The purpose of a backup file's seal, which is not in the database. */
export const BACKUP_PURPOSE = 'backup'
