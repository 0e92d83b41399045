/** When and from where the tokens of a session were last used. */
import type { SessionId } from '@ratafia/api'

export interface TokenActivity {
  /** Undefined if none was, as far as is known. */
  readonly lastUsedAt: Date | undefined
  /** The address of whoever presented it: a store, where a store asked about it. */
  readonly lastUsedFrom: string | undefined
}

/** One time that a token of the session was used. */
export interface UsedToken {
  readonly id: SessionId
  readonly at: Date
  readonly address: string
}
