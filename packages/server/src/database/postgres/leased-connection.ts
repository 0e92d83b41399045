import type pg from 'pg'
import type { Heartbeats } from './heartbeats.ts'

/** What is known of a connection, and what it has said beside its answers. */
export interface Known {
  limited: boolean
  direct: boolean
  announced: string[]
  unconfirmed: boolean
}

const NOTHING: readonly string[] = []

/** A connection, until it is released. */
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

  /** The time limits are in force on it. Otherwise each transaction must set its own. */
  get limited(): boolean {
    return this.#known.limited
  }

  /** What is prepared on it stays. */
  get direct(): boolean {
    return this.#known.direct
  }

  /** The changes announced on it since the last call. */
  takeAnnounced(): readonly string[] {
    const { announced } = this.#known
    if (announced.length === 0) return NOTHING
    this.#known.announced = []
    return announced
  }

  /** Whether, since the last call, a commit ended although no standby has it. */
  takeUnconfirmed(): boolean {
    const { unconfirmed } = this.#known
    this.#known.unconfirmed = false
    return unconfirmed
  }

  /** For an answer that has just arrived: resolves if it counts, and throws if the host may have been cut off. */
  prove(): Promise<void> {
    return this.#heartbeats.prove()
  }

  /** `broken` closes it; the server then rolls back what it had begun. */
  release(broken: boolean): void {
    this.client.release(broken)
  }

  /** The server no longer takes writes: drop every connection to it. */
  leaveHost(): void {
    this.#leaveHost()
  }
}
