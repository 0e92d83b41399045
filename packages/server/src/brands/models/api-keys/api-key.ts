/** The `api-key` of a model: its form and its hash. Only the hash is stored. */
import { createHash, randomBytes } from 'node:crypto'
import { type ModelName, showModelName } from '../model-policy.ts'

/** The stored data of a key, except the hash. */
export interface ApiKey extends ModelName {
  readonly id: string
  readonly label: string
  readonly createdAt: Date
  readonly expiresAt: Date | null
  /** How many times it can be used; null for no limit. */
  readonly useLimit: number | null
  readonly uses: number
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** Shows secret scanners, and people, what they have found. */
const PREFIX = 'ratafia_ak_'

/** Returns 32 random bytes in base64url, after the prefix. */
export const newApiKey = (): string => `${PREFIX}${randomBytes(32).toString('base64url')}`

/**
 * Returns the stored hash of a key: its SHA-256. The hash of an imported key includes the model, because
 * several models can share the key. Returns undefined if the text is not a key. The time of a look-up by hash
 * reveals nothing about the key.
 */
export function hashApiKey(text: string, { brandId, model }: ModelName): Uint8Array | undefined {
  const sha256 = (input: string) => createHash('sha256').update(input).digest()
  if (/^ratafia_ak_[A-Za-z0-9_-]{43}$/.test(text)) return sha256(text)
  return isForeignApiKey(text) ? sha256(`${brandId}/${model} ${text}`) : undefined
}

/** Checks whether a string from another service can be a key: long enough, and valid in a header. */
export const isForeignApiKey = (text: string): boolean => /^[\x21-\x7e]{10,200}$/.test(text)

/** An API key as the API, `--json` and exports show it: without its text. Times are RFC 3339 in UTC. */
export const apiKeyRecord = (key: ApiKey) => ({
  id: key.id,
  model: showModelName(key),
  label: key.label,
  uses: key.uses,
  use_limit: key.useLimit,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
})
