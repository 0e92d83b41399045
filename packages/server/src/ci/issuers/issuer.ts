/** An issuer of ID tokens for jobs, as an operator added it (contract/oidc.md, A4). */
import type { StoredKeys } from './keys/issuer-keys-store.ts'
import type { KindName } from './kinds.ts'

export interface Issuer {
  /** A UUID. */
  readonly id: string
  /** The value of `iss`, byte for byte; never normalised. */
  readonly url: string
  readonly kind: KindName
  readonly settings: IssuerSettings
  readonly createdAt: Date
}

/** The settings of an issuer, which the database stores as JSON. */
export interface IssuerSettings {
  /** The audience of issuers that cannot use ours; null for the base URL. */
  readonly audience: string | null
  /** The other audiences that `aud` may contain besides ours. */
  readonly otherAudiences: readonly string[]
  /** The private networks, such as `10.20.0.0/16`, that its hosts may be in. */
  readonly privateAddresses: readonly string[]
  /** The claims that identify a job permanently, only for `generic`; null for those of the kind. */
  readonly stableClaims: readonly string[] | null
  /** Whether the operator accepted rules that match names, which another owner can get later. */
  readonly namesCanBeReused: boolean
  /** The longest time from `iat` to `exp`, in milliseconds. */
  readonly longestLife: number
}

/** An issuer with the state of its keys, from a single look-up. */
export interface FoundIssuer {
  readonly issuer: Issuer
  readonly keys: KeysState
  /** The keys themselves, of this or an earlier revision, if the look-up also returned them. */
  readonly stored?: StoredKeys
}

export interface KeysState {
  /** Changes with the keys. */
  readonly revision: string
  /** When an operator gave them; undefined if they are fetched. Pinned keys are never fetched and never too old. */
  readonly pinnedAt: Date | undefined
  /** When the fetch that returned them began. */
  readonly fetchedAt: Date
  /** When the last fetch began. If this is later than `fetchedAt`, that fetch failed or is still running. */
  readonly triedAt: Date
  /** Why the last fetch failed. */
  readonly failure: string | undefined
}

export const DAY_MS = 86_400_000
/** The default of {@link IssuerSettings.longestLife}, and the maximum that an operator can allow (A16). */
export const LONGEST_LIFE = { standard: DAY_MS, most: 7 * DAY_MS } as const
