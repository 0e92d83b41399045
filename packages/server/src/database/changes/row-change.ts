/** What the triggers of `0001-schema/announcements.ts` announce, and the stores beside them. */

/** A row of this kind was removed, revoked or changed: what was read from it before may be wrong now. */
export interface RowChange {
  readonly kind: ChangeKind
  readonly id: string
}

/**
 * What the id of each kind is. Parts of a longer one are separated by slashes. A kind has the name of its table, with
 * dashes.
 */
export const CHANGE_KINDS = [
  'token-session',
  'account',
  'device',
  'root-key',
  'key-pair',
  // From here on what only operators change: those that are added are announced, too.
  'signing-key',
  'api-key',
  /** The account of the root. */
  'trust-root',
  /** Type and primary key. */
  'assertion',
  /** The account. */
  'brand',
  /** Brand and model. Not announced when only the number of its next serial changes. */
  'model',
  /** Brand and model from which, brand and model to which. */
  'remodel',
  /** Only those changed or removed. */
  'agent',
  /** The subject: the id of an account. */
  'role-grant',
] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const tableOf = (kind: ChangeKind): string => kind.replaceAll('-', '_')

export const CHANGE_CHANNEL = 'ratafia_change'
/** The server sends a message with this prefix to the connection that makes a change. */
export const CHANGE_MESSAGE = `${CHANGE_CHANNEL} `

/** Undefined for a kind this release does not know: then anything may have changed. */
export function parseChange(payload: string): RowChange | undefined {
  const [, word, id] = /^([a-z-]+) (.+)$/s.exec(payload) ?? []
  return changeOf(word, id)
}

/** As {@link parseChange}. */
export function changeOf(word: unknown, id: unknown): RowChange | undefined {
  const kind = CHANGE_KINDS.find((known) => known === word)
  return kind && typeof id === 'string' ? { kind, id } : undefined
}
