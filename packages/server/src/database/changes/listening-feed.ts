/**
 * The change feed on PostgreSQL.
 *
 * Why a node may use what it remembers while {@link ChangeFeed.current} is true: PostgreSQL delivers notifications to a
 * connection in commit order. Every change that takes something away is announced in its own transaction (migrations
 * 0004 and 0010, `announce.ts`), and a look in the catalogue says where it may not be (`unheard.ts`). A node sends beats
 * to itself through the host that its statements go to, and notes when. Once it hears a beat sent at S, it has heard of
 * every change committed before S: those were queued ahead of the beat. It is current until S + TRUST_MS. So by
 * A + TRUST_MS, a change acknowledged at A has been heard, or the node is no longer current; any failure in between only
 * makes beats go missing. All times come from the node's own monotonic clock: no two clocks are compared. See
 * docs/decisions/0021-what-nodes-remember.md.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '../database.ts'
import { type ChangeFeed, Heard } from './change-feed.ts'
import { ChangeListener, type ListenerEvents } from './change-listener.ts'
import type { Notifications } from './notifications.ts'
import { CHANGE_CHANNEL, type ChangeKind, parseChange } from './row-change.ts'
import type { FindUnheard } from './unheard.ts'

/** Milliseconds. */
export const BEAT_MS = 200
/** A revocation takes effect within a second. This is half of it; the other half is for answering on a busy machine. */
const TRUST_MS = 500
/** A connection that carries no beats for this long is dropped. */
const SILENT_MS = 3_000

/** Throws `TypeError` for a database that carries no notifications. */
export function listenForChanges(
  { notifications }: Database,
  listenUrl: string,
  findUnheard: FindUnheard,
): ChangeFeed {
  if (!notifications) throw new TypeError('Only PostgreSQL carries notifications.')
  return new ListeningFeed(
    notifications,
    (channels, events) => new ChangeListener(listenUrl, channels, events),
    findUnheard,
  )
}

type Listen = (
  channels: readonly [changes: string, beats: string],
  events: ListenerEvents,
) => Pick<ChangeListener, 'reconnect' | 'close'>

/** Exported for tests, which bring their own listener. */
export class ListeningFeed extends Heard implements ChangeFeed {
  readonly #notifications: Notifications
  readonly #ownChannel = `ratafia_beat_${randomBytes(12).toString('hex')}`
  readonly #listener: ReturnType<Listen>
  readonly #findUnheard: FindUnheard
  readonly #timer: NodeJS.Timeout
  /** When each beat that was not heard yet was sent, oldest first. */
  readonly #sent = new Map<string, number>()
  #beats = 0
  #sending: Promise<void> | undefined
  /** Undefined while not listening. */
  #listeningSince: number | undefined
  #heardUntil = Number.NEGATIVE_INFINITY
  /** Whether it is known, since it listens, what is unheard. */
  #looked = false
  #looking: Promise<void> | undefined

  constructor(notifications: Notifications, listen: Listen, findUnheard: FindUnheard) {
    super()
    this.#notifications = notifications
    this.#findUnheard = findUnheard
    // A node's own changes come back as notifications too, but a moment later.
    notifications.onOwnChange((payload) => this.hear(parseChange(payload)))
    this.#listener = listen([CHANGE_CHANNEL, this.#ownChannel], {
      listening: () => this.#begin(),
      lost: () => this.#lose(),
      notified: (channel, payload) =>
        channel === CHANGE_CHANNEL ? this.hear(parseChange(payload)) : this.#hearBeat(payload),
    })
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
  }

  current(...kinds: readonly ChangeKind[]): boolean {
    return this.#looked && this.lag() < TRUST_MS && this.hearsAllOf(kinds)
  }

  /** Since the newest heard beat was sent. */
  lag(): number {
    return performance.now() - this.#heardUntil
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#listener.close()
    await this.#sending
    await this.#looking
  }

  #begin(): void {
    this.hear()
    this.#listeningSince = performance.now()
    this.#look()
    this.#beat()
  }

  #lose(): void {
    this.#listeningSince = undefined
    this.#looked = false
    this.#heardUntil = Number.NEGATIVE_INFINITY
    this.#sent.clear()
    this.hear()
  }

  /** Once for each connection that listens: another host may have other triggers. Repeated with each beat if it fails. */
  #look(): void {
    const since = this.#listeningSince
    if (since === undefined || this.#looked || this.#looking) return
    this.#looking = this.#findUnheard()
      .then((unheard) => {
        if (this.#listeningSince !== since) return
        this.setUnheard(unheard)
        this.#looked = true
      })
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined
      })
  }

  #hearBeat(beat: string): void {
    const sentAt = this.#sent.get(beat)
    // Behind a PgBouncer, a reused server connection may repeat what it missed.
    if (sentAt === undefined) return
    // Beats arrive in the order they were sent: any older one was lost, and perhaps changes with it.
    const [oldest] = this.#sent.keys()
    if (beat !== oldest || !this.current()) this.hear()
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
    this.#look()
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
