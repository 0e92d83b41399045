/** What the triggers of migration 0004 announce. */

/** Something was taken away: a row of this kind ended, or may say something else now. */
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
/** What the server tells the connection that makes a change begins with this. */
export const CHANGE_MESSAGE = `${CHANGE_CHANNEL} `

/** Undefined for what this release does not know: then anything may have changed. */
export function parseChange(payload: string): RowChange | undefined {
  const [, word, id] = /^([a-z-]+) (.+)$/s.exec(payload) ?? []
  const kind = KINDS.find((known) => known === word)
  return kind && id !== undefined ? { kind, id } : undefined
}
