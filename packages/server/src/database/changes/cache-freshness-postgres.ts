/**
 * When a node can use its caches on PostgreSQL, and when it stops trusting them.
 *
 * It can use them while {@link CacheFreshness.current} is true, for these reasons. PostgreSQL delivers
 * notifications to a connection in commit order. Every change that takes something away is announced in its
 * own transaction (`0001-schema/announcements.ts`, `announce.ts`), and a look in the catalogue finds the
 * tables where it might not be (`tables-without-triggers.ts`). A node sends heartbeats to itself through the
 * host that runs its statements, and notes when. Once it receives a heartbeat sent at S, it has received
 * every change committed before S, because those were queued ahead of the heartbeat. It is current until S +
 * TRUST_MS. So by A + TRUST_MS, a node has either received a change acknowledged at A or is no longer
 * current; a failure in between only makes heartbeats go missing. All times are from the node's own monotonic
 * clock, so no two clocks are compared. See docs/decisions/0021-what-nodes-remember.md.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '../database.ts'
import { type CacheFreshness, ChangeSubscribers } from './cache-freshness.ts'
import { ChangeListener, type ListenerEvents } from './change-listener.ts'
import { CHANGE_CHANNEL, type ChangeKind, type Notifications, parseChange } from './row-change.ts'
import type { FindUnannounced } from './tables-without-triggers.ts'

/** The time between heartbeats, in milliseconds. */
const HEARTBEAT_MS = 200
/** Half of the second within which a revocation takes effect; the other half is for answering on a busy machine. */
const TRUST_MS = 500
/** A connection without a heartbeat for this long is dropped. */
const SILENT_MS = 3_000

/** Starts to listen. Throws `TypeError` for a database without notifications. */
export function listenForChanges(
  { notifications }: Database,
  listenUrl: string,
  findUnannounced: FindUnannounced,
): CacheFreshness {
  if (!notifications) throw new TypeError('Only PostgreSQL has notifications.')
  return new PostgresCacheFreshness(
    notifications,
    (channels, events) => new ChangeListener(listenUrl, channels, events),
    findUnannounced,
  )
}

type Listen = (
  channels: readonly [changes: string, heartbeats: string],
  events: ListenerEvents,
) => Pick<ChangeListener, 'reconnect' | 'close'>

/** The freshness of caches. Exported for tests, which pass their own listener. */
export class PostgresCacheFreshness extends ChangeSubscribers implements CacheFreshness {
  readonly #notifications: Notifications
  readonly #ownChannel = `ratafia_heartbeat_${randomBytes(12).toString('hex')}`
  readonly #listener: ReturnType<Listen>
  readonly #findUnannounced: FindUnannounced
  readonly #timer: NodeJS.Timeout
  /** When each heartbeat that has not come back yet was sent, oldest first. */
  readonly #sent = new Map<string, number>()
  #heartbeats = 0
  #sending: Promise<void> | undefined
  /** When it began to listen; undefined while it does not. */
  #listeningSince: number | undefined
  #receivedUntil = Number.NEGATIVE_INFINITY
  /** Whether a check has found the unannounced kinds since it began to listen. */
  #looked = false
  #looking: Promise<void> | undefined

  constructor(notifications: Notifications, listen: Listen, findUnannounced: FindUnannounced) {
    super()
    this.#notifications = notifications
    this.#findUnannounced = findUnannounced
    // A node's own changes also come back as notifications, but a moment later.
    notifications.onOwnChange((payload) => this.tell(parseChange(payload)))
    this.#listener = listen([CHANGE_CHANNEL, this.#ownChannel], {
      listening: () => this.#begin(),
      lost: () => this.#lose(),
      notified: (channel, payload) =>
        channel === CHANGE_CHANNEL ? this.tell(parseChange(payload)) : this.#receiveHeartbeat(payload),
    })
    this.#timer = setInterval(() => this.#heartbeat(), HEARTBEAT_MS)
  }

  current(...kinds: readonly ChangeKind[]): boolean {
    return this.#looked && this.lag() < TRUST_MS && this.allAnnounced(kinds)
  }

  /** Returns the milliseconds since it sent the newest heartbeat that came back. */
  lag(): number {
    return performance.now() - this.#receivedUntil
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#listener.close()
    await this.#sending
    await this.#looking
  }

  #begin(): void {
    this.tell()
    this.#listeningSince = performance.now()
    this.#look()
    this.#heartbeat()
  }

  #lose(): void {
    this.#listeningSince = undefined
    this.#looked = false
    this.#receivedUntil = Number.NEGATIVE_INFINITY
    this.#sent.clear()
    this.tell()
  }

  /** Runs once per listening connection, since hosts can differ in triggers. If it fails, each heartbeat repeats it. */
  #look(): void {
    const since = this.#listeningSince
    if (since === undefined || this.#looked || this.#looking) return
    this.#looking = this.#findUnannounced()
      .then((unannounced) => {
        if (this.#listeningSince !== since) return
        this.setUnannounced(unannounced)
        this.#looked = true
      })
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined
      })
  }

  #receiveHeartbeat(heartbeat: string): void {
    const sentAt = this.#sent.get(heartbeat)
    // Behind a PgBouncer, a reused server connection can repeat notifications that it missed.
    if (sentAt === undefined) return
    // Heartbeats arrive in the order they were sent, so an older one was lost, and perhaps changes with it.
    const [oldest] = this.#sent.keys()
    if (heartbeat !== oldest || !this.current()) this.tell()
    for (const sent of this.#sent.keys()) {
      this.#sent.delete(sent)
      if (sent === heartbeat) break
    }
    this.#receivedUntil = Math.max(this.#receivedUntil, sentAt)
  }

  #heartbeat(): void {
    const since = this.#listeningSince
    if (since !== undefined && performance.now() - Math.max(since, this.#receivedUntil) > SILENT_MS) {
      this.#listener.reconnect()
    }
    this.#look()
    // Send one at a time, because they share one connection.
    if (this.#sending) return
    const heartbeat = String(++this.#heartbeats)
    // Send it even while nothing listens: answers of the database are not trusted without it
    // (`postgres/heartbeats.ts`).
    if (since !== undefined) this.#sent.set(heartbeat, performance.now())
    this.#sending = this.#notifications
      .send(this.#ownChannel, heartbeat)
      .catch(() => {
        // It can still arrive, but is then ignored.
        this.#sent.delete(heartbeat)
      })
      .finally(() => {
        this.#sending = undefined
      })
  }
}
