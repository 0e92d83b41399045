/** One short transaction over what opening a session changes. The constraints of the tables decide its races. */
import type { ChangingBy } from '../../change.ts'
import type { DeviceStore } from '../device-store.ts'
import type { CloneStore } from './clone-store.ts'
import type { DeviceSessionStore } from './device-session-store.ts'

/** Stores made on the transaction: what they change is stored together or not at all. */
export interface SessionStores {
  readonly devices: DeviceStore
  readonly sessions: DeviceSessionStore
  readonly clones: CloneStore
}

export type InSessionsBy = ChangingBy<SessionStores>
