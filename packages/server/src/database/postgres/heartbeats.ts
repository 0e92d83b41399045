/**
 * Whether a host is still the primary. One whose synchronous standby was promoted elsewhere does not know: it answers
 * every read with what was true before, and says that it takes writes; only its commits never end. So nothing that a
 * host answers counts until a heartbeat shows that it was the primary a moment ago.
 *
 * A heartbeat is a commit that writes something (a message for logical decoding, which nobody decodes), so it ends when
 * the synchronous standby has it. Once a heartbeat sent at S is acknowledged, no standby had been promoted by S, and a
 * revocation acknowledged elsewhere is younger than S. Without a synchronous standby a heartbeat is a commit like any
 * other.
 */
import type pg from 'pg'

/** Milliseconds. What is accepted may have been revoked a second ago at the most. */
const PROVEN_MS = 900
/** How long the first heartbeat to a host may take, and how old a heartbeat is before another process may cancel it. */
const FIRST_MS = 2_000

/** A message that comes with an answer: the part that does not depend on the server's language. */
interface Notice {
  readonly routine: string | undefined
}

export interface Notification {
  readonly channel: string
  readonly payload: string
}

/** Whatever the role or the database sets otherwise. */
const SETTINGS = 'set local synchronous_commit = on; set local client_min_messages = warning'
const WRITE = `begin; ${SETTINGS}; select pg_logical_emit_message(true, 'ratafia', ''); commit`

/** After the commit: `Heartbeats` measures the server's clock with it. */
const TIME = '; select (extract(epoch from clock_timestamp()) * 1000)::float8 as time'

/**
 * A server process whose commit waits for a standby does not notice that its client has gone, and keeps its place. This
 * ends heartbeats that were given up, before another is sent to the same host; nothing else is ever cancelled.
 */
const END_ABANDONED = `select pg_cancel_backend(pid) from pg_stat_activity
  where usename = current_user and datname = current_database() and wait_event = 'SyncRep'
  and query like '${WRITE.replaceAll("'", "''")}%' and query_start < now() - interval '${FIRST_MS} milliseconds'`

export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed'
  constructor() {
    super(
      'the server does not confirm writes: its synchronous standby is away, or has taken over and this server was cut off',
    )
  }
}

/**
 * The heartbeats to one host, while it is in use. They have a connection of their own, and do not wait behind requests.
 */
export class Heartbeats {
  readonly #connections: pg.Pool
  readonly #patienceMs: number
  readonly #lost: (error: unknown) => void
  readonly #measured: (sent: number, time: number) => void
  readonly #since = performance.now()
  /** When the newest acknowledged heartbeat was sent. */
  #provenUntil = Number.NEGATIVE_INFINITY
  #sending: Promise<void> | undefined

  constructor(
    connections: pg.Pool,
    patienceMs: number,
    on: {
      /** Called when none was acknowledged for `patienceMs`. */
      readonly lost: (error: unknown) => void
      /** Called for each that was acknowledged: when it was sent, and the server's time after that. */
      readonly measured: (sent: number, time: number) => void
    },
  ) {
    this.#connections = connections
    this.#patienceMs = patienceMs
    this.#lost = on.lost
    this.#measured = on.measured
  }

  /**
   * Resolves when a heartbeat has been acknowledged, on `client` if it is given. Throws {@link NotConfirmed} or the
   * driver's error.
   */
  async send(notification?: Notification, client?: pg.PoolClient): Promise<void> {
    while (this.#sending) await this.#sending.catch(() => {})
    this.#sending = this.#send(notification, client).finally(() => {
      this.#sending = undefined
    })
    await this.#sending
  }

  /**
   * Resolves once the host has acknowledged a first heartbeat, on this connection if need be. Throws as {@link send}
   * does.
   */
  async begin(client: pg.PoolClient): Promise<void> {
    while (!this.#begun) await (this.#sending ?? this.send(undefined, client))
  }

  /**
   * For an answer that has just arrived: resolves once a heartbeat sent less than {@link PROVEN_MS} before it, or after
   * it, is acknowledged. Throws as {@link send} does.
   */
  async prove(): Promise<void> {
    const answered = performance.now()
    for (let again = true; this.#provenUntil <= answered - PROVEN_MS; ) {
      const joined = this.#sending
      try {
        await (joined ?? this.send())
      } catch (error) {
        // The connection may have been lost, rather than the host.
        if (!again || error instanceof NotConfirmed) throw error
        again = false
      }
    }
  }

  /** For a host whose answers are awaited: whether it is still there. */
  watch(): void {
    const silentMs = performance.now() - Math.max(this.#since, this.#provenUntil)
    if (silentMs > FIRST_MS && !this.#sending) this.send().catch(() => {})
  }

  async #send(notification: Notification | undefined, client: pg.PoolClient | undefined): Promise<void> {
    const sent = performance.now()
    try {
      const time = client
        ? await this.#commit(client, notification)
        : await this.#onOwnConnection(notification)
      this.#measured(sent, time)
      this.#provenUntil = sent
    } catch (error) {
      const silentFor = performance.now() - Math.max(this.#since, this.#provenUntil)
      if (error instanceof NotConfirmed || silentFor >= this.#patienceMs) this.#lost(error)
      throw error
    }
  }

  get #begun(): boolean {
    return this.#provenUntil !== Number.NEGATIVE_INFINITY
  }

  async #onOwnConnection(notification: Notification | undefined): Promise<number> {
    const client = await this.#connections.connect()
    let broken = true
    try {
      const time = await this.#commit(client, notification)
      broken = false
      return time
    } finally {
      client.release(broken)
    }
  }

  /** Returns the server's time after the commit, in milliseconds since 1970. */
  async #commit(client: pg.PoolClient, notification: Notification | undefined): Promise<number> {
    let cancelled = false
    let time: number | undefined
    const onNotice = (notice: Notice) => {
      cancelled ||= saysUnconfirmed(notice)
    }
    client.on('notice', onNotice)
    const run = (text: string) => {
      const limited = { text, query_timeout: this.#begun ? this.#patienceMs : FIRST_MS }
      return client.query(limited)
    }
    try {
      if (!this.#begun) await run(END_ABANDONED)
      time = timeIn(await run(WRITE + notifying(client, notification) + TIME))
    } catch (error) {
      throw isTimeout(error) ? new NotConfirmed() : error
    } finally {
      client.off('notice', onNotice)
    }
    if (cancelled) throw new Error('the wait of a heartbeat for the synchronous standby was cancelled')
    if (time === undefined) throw new Error('the server did not say what time it is')
    return time
  }
}

/** A heartbeat is several statements, so its answer is a list of results: the last one is that of {@link TIME}. */
function timeIn(answers: pg.QueryResult | readonly pg.QueryResult[]): number | undefined {
  const time: unknown = [answers].flat().at(-1)?.rows[0]?.time
  return typeof time === 'number' ? time : undefined
}

/** Apart from the commit that waits: PostgreSQL lets one transaction at a time commit notifications. */
function notifying(client: pg.ClientBase, notification: Notification | undefined): string {
  if (!notification) return ''
  const [channel, payload] = [notification.channel, notification.payload].map((text) =>
    client.escapeLiteral(text),
  )
  return `; select pg_notify(${channel}, ${payload})`
}

/** Somebody cancelled a commit that waited for the standby: the server then says that it is done, with a warning. */
export const saysUnconfirmed = ({ routine }: Notice): boolean => routine === 'SyncRepWaitForLSN'

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout'
