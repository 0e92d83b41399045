/** A listening connection to the host that accepts writes. It is reopened whenever it breaks. */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { postgresUrls } from '../../postgres-urls.ts'

export interface ListenerEvents {
  /** Everything sent from now on will be received. */
  listening(): void
  /** Called in commit order. */
  notified(channel: string, payload: string): void
  /** Notifications may have been missed. */
  lost(): void
}

const CONNECT_MS = 3_000
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

export class ChangeListener {
  readonly #urls: readonly string[]
  readonly #channels: readonly string[]
  readonly #events: ListenerEvents
  readonly #closed = new AbortController()
  readonly #running: Promise<void>
  #socket: Socket | undefined

  constructor(url: string, channels: readonly string[], events: ListenerEvents) {
    this.#urls = postgresUrls(url) ?? []
    this.#channels = channels
    this.#events = events
    this.#running = this.#run()
  }

  /** Drops the connection and opens another. */
  reconnect(): void {
    this.#socket?.destroy()
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#socket?.destroy()
    await this.#running
  }

  async #run(): Promise<void> {
    let pause = SHORTEST_PAUSE_MS
    for (let turn = 0; !this.#closed.signal.aborted; turn++) {
      const url = this.#urls[turn % this.#urls.length] ?? ''
      if (await this.#listen(url)) pause = SHORTEST_PAUSE_MS
      this.#events.lost()
      await sleep(pause, undefined, { signal: this.#closed.signal }).catch(() => {})
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    }
  }

  /** Resolves when the connection ends, with whether it ever listened. */
  async #listen(url: string): Promise<boolean> {
    const socket = new Socket()
    this.#socket = socket
    const client = new pg.Client({
      connectionString: url,
      fallback_application_name: 'ratafia listener',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      stream: () => socket,
    })
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.on('end', () => resolve())
      socket.on('close', () => resolve())
    })
    client.on('notification', ({ channel, payload = '' }) => this.#events.notified(channel, payload))
    try {
      await client.connect()
      // A standby refuses this. No other statement ever runs on this connection. A PgBouncer that swaps the
      // server behind it therefore makes the connection go silent, and the silence is noticed.
      const text = this.#channels.map((channel) => `listen ${client.escapeIdentifier(channel)}`).join('; ')
      const statement = { text, query_timeout: CONNECT_MS }
      await client.query(statement)
      this.#events.listening()
      await ended
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
}
