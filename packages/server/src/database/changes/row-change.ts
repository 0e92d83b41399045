/** What the triggers of migration 0004 announce. */

/** A row of this kind was removed, revoked or changed: what was read from it before may be wrong now. */
export interface RowChange {
  readonly kind: ChangeKind
  readonly id: string
}

const KINDS = [
  'token-session',
  'account',
  'device',
  'root-key',
  'key-pair',
  'signing-key',
  'api-key',
  'trust-root',
] as const

export type ChangeKind = (typeof KINDS)[number]

export const CHANGE_CHANNEL = 'ratafia_change'
/** The server sends a message with this prefix to the connection that makes a change. */
export const CHANGE_MESSAGE = `${CHANGE_CHANNEL} `

/** Undefined for a kind this release does not know: then anything may have changed. */
export function parseChange(payload: string): RowChange | undefined {
  const [, word, id] = /^([a-z-]+) (.+)$/s.exec(payload) ?? []
  const kind = KINDS.find((known) => known === word)
  return kind && id !== undefined ? { kind, id } : undefined
}
