/**
 * What the nodes hear of each other's changes, and whether they have heard it all.
 *
 * Why a node may use what it remembers while {@link ChangeFeed.current} says so. PostgreSQL delivers notifications to a
 * connection in the order of their commits. Every change that takes something away is announced in its own transaction
 * (migration 0004). A node sends beats to itself by the host that its statements go to, and notes when. If it has heard
 * a beat that it sent at S, it has heard of every change that was committed before S: those were queued before the
 * beat. It is current for TRUST_MS after S. So a change that was acknowledged at A is heard, or the node is not current
 * any more, at the latest at A + TRUST_MS; what fails meanwhile only makes beats miss. Times are those of the node's own
 * monotonic clock: no two clocks are compared. See docs/decisions/0021-what-nodes-remember.md.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '../database.ts'
import { ChangeListener, type ListenerEvents } from './change-listener.ts'
import type { Notifications } from './notifications.ts'
import { CHANGE_CHANNEL, parseChange, type RowChange } from './row-change.ts'

/** Milliseconds. */
export const BEAT_MS = 200
/** Half of the second within which a revocation holds: the other half is for the answer, on a machine that is busy. */
export const TRUST_MS = 500
/** A connection that carries no beats for so long is given up. */
const SILENT_MS = 3_000

export interface ChangeFeed {
  /** Whether everything that was committed more than {@link TRUST_MS} ago has been heard. */
  current(): boolean
  /** Another number after each change that was heard, and after each gap in hearing. */
  readonly position: number
  /** Calls back for each change, at once when it is heard; without one, when anything may have changed. */
  subscribe(heard: (change?: RowChange) => void): void
  /** What is remembered by it, by name. */
  readonly memories: Map<string, () => MemoryState>
  /** Milliseconds since the newest beat that was heard was sent; infinite while nothing is heard. */
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

/** Undefined on SQLite, whose one file is asked each time. */
export function openChangeFeed(database: Database, listenUrl: string): ChangeFeed | undefined {
  const listen: Listen = (channels, events) => new ChangeListener(listenUrl, channels, events)
  return database.notifications && new ListeningFeed(database.notifications, listen)
}

type Listen = (
  channels: readonly [changes: string, beats: string],
  events: ListenerEvents,
) => Pick<ChangeListener, 'reconnect' | 'close'>

/** Exported for tests, which bring a listener of their own. */
export class ListeningFeed implements ChangeFeed {
  readonly #notifications: Notifications
  readonly #ownChannel = `ratafia_beat_${randomBytes(12).toString('hex')}`
  readonly #listener: ReturnType<Listen>
  readonly #timer: NodeJS.Timeout
  readonly #subscribers: ((change?: RowChange) => void)[] = []
  readonly memories = new Map<string, () => MemoryState>()
  /** When each beat that is under way was sent. */
  readonly #sent = new Map<string, number>()
  #beats = 0
  #sending: Promise<void> | undefined
  /** Undefined while it does not listen. */
  #listeningSince: number | undefined
  #heardUntil = Number.NEGATIVE_INFINITY
  #position = 0

  constructor(notifications: Notifications, listen: Listen) {
    this.#notifications = notifications
    // Its own changes too come back as notifications, but a moment later.
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
    // A connection that was listened on before, at a PgBouncer, may repeat what it missed.
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
    if (since === undefined) return
    if (performance.now() - Math.max(since, this.#heardUntil) > SILENT_MS) {
      this.#listener.reconnect()
      return
    }
    // One at a time: they go by one connection.
    if (this.#sending) return
    const beat = String(++this.#beats)
    this.#sent.set(beat, performance.now())
    this.#sending = this.#notifications
      .send(this.#ownChannel, beat, TRUST_MS)
      .catch(() => {
        // It may still be heard, and then means what it says; but not after this.
        this.#sent.delete(beat)
      })
      .finally(() => {
        this.#sending = undefined
      })
  }
}
