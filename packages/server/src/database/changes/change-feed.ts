/**
 * Tells a node about the changes of all nodes, and whether it has heard about every one.
 *
 * Why a node may use what it remembers while {@link ChangeFeed.current} is true: PostgreSQL delivers notifications to a
 * connection in commit order. Every change that takes something away is announced in its own transaction (migration
 * 0004). A node sends beats to itself through the host that its statements go to, and notes when. Once it hears a beat
 * sent at S, it has heard of every change committed before S: those were queued ahead of the beat. It is current until
 * S + TRUST_MS. So by A + TRUST_MS, a change acknowledged at A has been heard, or the node is no longer current; any
 * failure in between only makes beats go missing. All times come from the node's own monotonic clock: no two clocks are
 * compared. See docs/decisions/0021-what-nodes-remember.md.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '../database.ts'
import { ChangeListener, type ListenerEvents } from './change-listener.ts'
import type { Notifications } from './notifications.ts'
import { CHANGE_CHANNEL, parseChange, type RowChange } from './row-change.ts'

/** Milliseconds. */
export const BEAT_MS = 200
/** A revocation takes effect within a second. This is half of it; the other half is for answering on a busy machine. */
const TRUST_MS = 500
/** A connection that carries no beats for this long is dropped. */
const SILENT_MS = 3_000

export interface ChangeFeed {
  /** Whether everything committed more than {@link TRUST_MS} ago has been heard. */
  current(): boolean
  /** Changes with each change that is heard, and after each gap in hearing. */
  readonly position: number
  /** Calls back as soon as a change is heard; without an argument when anything may have changed. */
  subscribe(heard: (change?: RowChange) => void): void
  /** The memories that rely on this feed, by name. */
  readonly memories: Map<string, () => MemoryState>
  /** Milliseconds since the newest heard beat was sent; infinite while nothing is heard. */
  lag(): number
  close(): Promise<void>
}

/** How much one memory contains, and how often it helped: for metrics. */
interface MemoryState {
  readonly size: number
  readonly hits: number
  readonly misses: number
  /** Look-ups while nothing remembered could be trusted. */
  readonly bypassed: number
}

/** Undefined on SQLite, where every request reads the one file. */
export function openChangeFeed(database: Database, listenUrl: string): ChangeFeed | undefined {
  const listen: Listen = (channels, events) => new ChangeListener(listenUrl, channels, events)
  return database.notifications && new ListeningFeed(database.notifications, listen)
}

type Listen = (
  channels: readonly [changes: string, beats: string],
  events: ListenerEvents,
) => Pick<ChangeListener, 'reconnect' | 'close'>

/** Exported for tests, which bring their own listener. */
export class ListeningFeed implements ChangeFeed {
  readonly #notifications: Notifications
  readonly #ownChannel = `ratafia_beat_${randomBytes(12).toString('hex')}`
  readonly #listener: ReturnType<Listen>
  readonly #timer: NodeJS.Timeout
  readonly #subscribers: ((change?: RowChange) => void)[] = []
  readonly memories = new Map<string, () => MemoryState>()
  /** When each beat that was not heard yet was sent, oldest first. */
  readonly #sent = new Map<string, number>()
  #beats = 0
  #sending: Promise<void> | undefined
  /** Undefined while not listening. */
  #listeningSince: number | undefined
  #heardUntil = Number.NEGATIVE_INFINITY
  #position = 0

  constructor(notifications: Notifications, listen: Listen) {
    this.#notifications = notifications
    // A node's own changes come back as notifications too, but a moment later.
    notifications.onOwnChange((payload) => this.#hear(parseChange(payload)))
    this.#listener = listen([CHANGE_CHANNEL, this.#ownChannel], {
      listening: () => this.#begin(),
      lost: () => this.#lose(),
      notified: (channel, payload) =>
        channel === CHANGE_CHANNEL ? this.#hear(parseChange(payload)) : this.#hearBeat(payload),
    })
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
  }

  get position(): number {
    return this.#position
  }

  current(): boolean {
    return this.lag() < TRUST_MS
  }

  lag(): number {
    return performance.now() - this.#heardUntil
  }

  subscribe(heard: (change?: RowChange) => void): void {
    this.#subscribers.push(heard)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#listener.close()
    await this.#sending
  }

  #begin(): void {
    this.#hear()
    this.#listeningSince = performance.now()
    this.#beat()
  }

  #lose(): void {
    this.#listeningSince = undefined
    this.#heardUntil = Number.NEGATIVE_INFINITY
    this.#sent.clear()
    this.#hear()
  }

  #hear(change?: RowChange): void {
    this.#position++
    for (const heard of this.#subscribers) heard(change)
  }

  #hearBeat(beat: string): void {
    const sentAt = this.#sent.get(beat)
    // Behind a PgBouncer, a reused server connection may repeat what it missed.
    if (sentAt === undefined) return
    // Beats arrive in the order they were sent: any older one was lost, and perhaps changes with it.
    const [oldest] = this.#sent.keys()
    if (beat !== oldest || !this.current()) this.#hear()
    for (const sent of this.#sent.keys()) {
      this.#sent.delete(sent)
      if (sent === beat) break
    }
    this.#heardUntil = Math.max(this.#heardUntil, sentAt)
  }

  #beat(): void {
    const since = this.#listeningSince
    if (since !== undefined && performance.now() - Math.max(since, this.#heardUntil) > SILENT_MS) {
      this.#listener.reconnect()
    }
    // One at a time: they share one connection.
    if (this.#sending) return
    const beat = String(++this.#beats)
    // Sent even while nothing listens: without it no answer of the database counts (`postgres/beats.ts`).
    if (since !== undefined) this.#sent.set(beat, performance.now())
    this.#sending = this.#notifications
      .send(this.#ownChannel, beat)
      .catch(() => {
        // It may still arrive, but no longer counts.
        this.#sent.delete(beat)
      })
      .finally(() => {
        this.#sending = undefined
      })
  }
}
