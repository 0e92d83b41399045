import type pg from 'pg'
import type { Heartbeats } from './heartbeats.ts'

/** The known facts about a connection, and the notices that it sent. */
export interface Known {
  limited: boolean
  direct: boolean
  announced: string[]
  unconfirmed: boolean
}

const NOTHING: readonly string[] = []

/** A connection that its holder has until release. */
export class LeasedConnection {
  readonly client: pg.PoolClient
  readonly #known: Known
  readonly #heartbeats: Heartbeats
  readonly #leaveHost: () => void

  constructor(client: pg.PoolClient, known: Known, heartbeats: Heartbeats, leaveHost: () => void) {
    this.client = client
    this.#known = known
    this.#heartbeats = heartbeats
    this.#leaveHost = leaveHost
  }

  /** Whether the time limits are in force on it. If not, each transaction must set its own. */
  get limited(): boolean {
    return this.#known.limited
  }

  /** Whether statements prepared on it stay. */
  get direct(): boolean {
    return this.#known.direct
  }

  /** Returns the changes announced on it since the last call. */
  takeAnnounced(): readonly string[] {
    const { announced } = this.#known
    if (announced.length === 0) return NOTHING
    this.#known.announced = []
    return announced
  }

  /** Whether a commit was acknowledged since the last call without a standby having it. */
  takeUnconfirmed(): boolean {
    const { unconfirmed } = this.#known
    this.#known.unconfirmed = false
    return unconfirmed
  }

  /** Call it when an answer has just arrived. Resolves if it can be trusted; throws if the host may be cut off. */
  prove(): Promise<void> {
    return this.#heartbeats.prove()
  }

  /** Releases the connection. `broken` closes it, and the server then rolls back an open transaction. */
  release(broken: boolean): void {
    this.client.release(broken)
  }

  /** Drops every connection to this server, because it no longer accepts writes. */
  leaveHost(): void {
    this.#leaveHost()
  }
}
