/** The changes that the triggers of `0001-schema/announcements.ts` announce, as well as the stores. */

/** A row of this kind was removed, revoked or changed, so anything read from it before can be wrong now. */
export interface RowChange {
  readonly kind: ChangeKind
  readonly id: string
}

/** The kinds of rows (tables' names with dashes), with the meaning of their ids, whose parts slashes separate. */
export const CHANGE_KINDS = [
  'token-session',
  'account',
  'device',
  'root-key',
  'key-pair',
  // Only operators change the kinds from here on. Their new rows are announced as well.
  'signing-key',
  'api-key',
  /** The id is the root's account. */
  'trust-root',
  /** The id is the type and the primary key. */
  'assertion',
  /** The id is the account. */
  'brand',
  /** The id is the brand and the model. A change of only the next serial number is not announced. */
  'model',
  /** The id is the old brand and model, then the new brand and model. */
  'remodel',
  /** The id is the name. New agents are not announced. */
  'agent',
  /** The id is the subject, which is an account's id. */
  'role-grant',
] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const tableOf = (kind: ChangeKind): string => kind.replaceAll('-', '_')

export const CHANGE_CHANNEL = 'ratafia_change'
/** The server sends a message with this prefix to the connection that makes a change. */
export const CHANGE_MESSAGE = `${CHANGE_CHANNEL} `

/** Returns undefined for a kind that this release does not know: anything may have changed then. */
export function parseChange(payload: string): RowChange | undefined {
  const [, word, id] = /^([a-z-]+) (.+)$/s.exec(payload) ?? []
  return changeOf(word, id)
}

/** Like {@link parseChange}, for a kind and an id. */
export function changeOf(word: unknown, id: unknown): RowChange | undefined {
  const kind = CHANGE_KINDS.find((known) => known === word)
  return kind && typeof id === 'string' ? { kind, id } : undefined
}

/** The messages that PostgreSQL carries between nodes. */
export interface Notifications {
  /**
   * Sends a heartbeat with a notification to the host that runs our statements, on a connection that no request waits
   * for. The notification is sent only once the host has shown that it is still the primary. Throws the driver's error.
   */
  send(channel: string, payload: string): Promise<void>
  /**
   * Calls the only subscriber with the payload of each change that this process makes, before the code that
   * made it continues. Some of these changes may have been rolled back.
   */
  onOwnChange(onChange: (payload: string) => void): void
}
