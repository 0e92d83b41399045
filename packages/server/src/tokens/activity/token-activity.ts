/** When and from where the tokens of a session were last used. */
import type { SessionId } from '@ratafia/api'

export interface TokenActivity {
  /** When a token was last used; undefined if no use is known. */
  readonly lastUsedAt: Date | undefined
  /** The address of the client that presented it, which is the store's if the store checked it. */
  readonly lastUsedFrom: string | undefined
}

/** One use of a token of the session. */
export interface UsedToken {
  readonly id: SessionId
  readonly at: Date
  readonly address: string
}
