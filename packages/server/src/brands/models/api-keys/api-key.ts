/** The `api-key` of a model: how it is written, and its hash, which alone is stored. */
import { createHash, randomBytes } from 'node:crypto'
import type { ModelName } from '../model-policy.ts'

/** What is stored besides the hash. */
export interface ApiKey extends ModelName {
  readonly id: string
  readonly label: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
  /** How often it may be used; null for any number of times. */
  readonly useLimit: number | null
  readonly uses: number
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** So that scanners for secrets, and people, know what they have found. */
const PREFIX = 'ratafia_ak_'

/** 32 random bytes in base64url, after the prefix. */
export const newApiKey = (): string => `${PREFIX}${randomBytes(32).toString('base64url')}`

/**
 * What is stored of a key: SHA-256, of one that was brought from elsewhere together with the model, because several
 * may share it. Undefined for what is no key. A look-up by it tells nothing of the key by its time.
 */
export function hashApiKey(text: string, { brandId, model }: ModelName): Uint8Array | undefined {
  const sha256 = (input: string) => createHash('sha256').update(input).digest()
  if (/^ratafia_ak_[A-Za-z0-9_-]{43}$/.test(text)) return sha256(text)
  return isForeignApiKey(text) ? sha256(`${brandId}/${model} ${text}`) : undefined
}

/** Whether a text of elsewhere can be a key: long enough to be one, and fit for a header. */
export const isForeignApiKey = (text: string): boolean => /^[\x21-\x7e]{10,200}$/.test(text)
