/** An issuer of ID tokens for jobs, as an operator added it (contract/oidc.md, A4). */
import type { StoredKeys } from './keys/issuer-keys-store.ts'
import type { KindName } from './kinds.ts'

export interface Issuer {
  /** A UUID. */
  readonly id: string
  /** What `iss` says, byte for byte: never normalised. */
  readonly url: string
  readonly kind: KindName
  readonly settings: IssuerSettings
  readonly createdAt: Date
}

/** The database keeps this as JSON. */
export interface IssuerSettings {
  /** For issuers that cannot set ours; null: the base URL. */
  readonly audience: string | null
  /** What may stand in `aud` beside ours. */
  readonly otherAudiences: readonly string[]
  /** Networks, as `10.20.0.0/16`, that its hosts may be in although they are not public. */
  readonly privateAddresses: readonly string[]
  /** Claims that identify a job for good, in place of the kind's; null: those of the kind. Only for `generic`. */
  readonly stableClaims: readonly string[] | null
  /** The operator accepted rules by names that somebody else could get one day. */
  readonly namesCanBeReused: boolean
  /** Milliseconds from `iat` to `exp`. */
  readonly longestLife: number
}

/** With the state of its keys, as one look-up finds both. */
export interface FoundIssuer {
  readonly issuer: Issuer
  readonly keys: KeysState
  /** The keys themselves, of this or an earlier revision, if the look-up found them too. */
  readonly stored?: StoredKeys
}

export interface KeysState {
  /** Changes with the keys. */
  readonly revision: string
  /** When an operator gave them; undefined where the issuer does. Pinned ones are never fetched and never too old. */
  readonly pinnedAt: Date | undefined
  /** When the fetch that got them began. */
  readonly fetchedAt: Date
  /** When somebody last began to fetch them. Later than `fetchedAt`: that failed, or has not ended. */
  readonly triedAt: Date
  /** Why the last fetch failed. */
  readonly failure: string | undefined
}

export const DAY_MS = 86_400_000
/** Of {@link IssuerSettings.longestLife}: the default, and the most that an operator can allow (A16). */
export const LONGEST_LIFE = { standard: DAY_MS, most: 7 * DAY_MS } as const
