/**
 * Shows whether a host is still the primary. A host whose synchronous standby was promoted elsewhere does not
 * know it: it answers every read with outdated data and claims to accept writes, but its commits never
 * finish. So no answer of a host counts until a heartbeat shows that the host was the primary a moment ago.
 *
 * A heartbeat is a commit that writes something (a message for logical decoding, which has no reader), so it
 * finishes once the synchronous standby has it. When a heartbeat sent at S is acknowledged, no standby had
 * been promoted by S, and any revocation acknowledged elsewhere is younger than S. Without a synchronous
 * standby, a heartbeat is an ordinary commit.
 */
import type pg from 'pg'

/** How long a heartbeat is valid, in milliseconds. A credential accepted now was revoked at most a second ago. */
const PROVEN_MS = 900
/** How long the first heartbeat to a host can take, and the age at which another process cancels a heartbeat. */
const FIRST_MS = 2_000

/** A message that comes with an answer, reduced to the part that does not depend on the server's language. */
interface Notice {
  readonly routine: string | undefined
}

export interface Notification {
  readonly channel: string
  readonly payload: string
}

/** Overrides the settings of the role and the database. */
const SETTINGS = 'set local synchronous_commit = on; set local client_min_messages = warning'
const WRITE = `begin; ${SETTINGS}; select pg_logical_emit_message(true, 'ratafia', ''); commit`

/** Runs after the commit: `Heartbeats` measures the server's clock with it. */
const TIME = '; select (extract(epoch from clock_timestamp()) * 1000)::float8 as time'

/**
 * Ends abandoned heartbeats before another is sent to the same host; nothing else is ever cancelled. A server
 * process whose commit waits for a standby does not notice that its client has gone, and keeps its place.
 */
const END_ABANDONED = `select pg_cancel_backend(pid) from pg_stat_activity
  where usename = current_user and datname = current_database() and wait_event = 'SyncRep'
  and query like '${WRITE.replaceAll("'", "''")}%' and query_start < now() - interval '${FIRST_MS} milliseconds'`

export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed'
  constructor() {
    super(
      'the server does not confirm writes: its synchronous standby is unavailable, or has taken over and this server was cut off',
    )
  }
}

/** The heartbeats to one host while it is in use, on their own connection, so that they don't wait for requests. */
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
      /** Called when no heartbeat was acknowledged for `patienceMs`. */
      readonly lost: (error: unknown) => void
      /** Called for each acknowledged heartbeat, with when it was sent and the server's time after that. */
      readonly measured: (sent: number, time: number) => void
    },
  ) {
    this.#connections = connections
    this.#patienceMs = patienceMs
    this.#lost = on.lost
    this.#measured = on.measured
  }

  /** Sends a heartbeat. Resolves once it is acknowledged. Throws {@link NotConfirmed} or the driver's error. */
  async send(notification?: Notification, client?: pg.PoolClient): Promise<void> {
    while (this.#sending) await this.#sending.catch(() => {})
    this.#sending = this.#send(notification, client).finally(() => {
      this.#sending = undefined
    })
    await this.#sending
  }

  /** Resolves once the host acknowledged a first heartbeat, sent here if necessary. Throws as {@link send} does. */
  async begin(client: pg.PoolClient): Promise<void> {
    while (!this.#begun) await (this.#sending ?? this.send(undefined, client))
  }

  /**
   * Call it when an answer has just arrived. Resolves once a heartbeat is acknowledged that was sent after
   * the answer, or less than {@link PROVEN_MS} before it. Throws as {@link send} does.
   */
  async prove(): Promise<void> {
    const answered = performance.now()
    for (let again = true; this.#provenUntil <= answered - PROVEN_MS; ) {
      const joined = this.#sending
      try {
        await (joined ?? this.send())
      } catch (error) {
        // The connection may have failed, rather than the host.
        if (!again || error instanceof NotConfirmed) throw error
        again = false
      }
    }
  }

  /** Checks whether a host that owes us answers is still there. */
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
    if (cancelled) throw new Error("the heartbeat's wait for the synchronous standby was cancelled")
    if (time === undefined) throw new Error('the server did not return its time')
    return time
  }
}

/** Returns the server's time. A heartbeat is several statements, whose results are a list; {@link TIME} is last. */
function timeIn(answers: pg.QueryResult | readonly pg.QueryResult[]): number | undefined {
  const time: unknown = [answers].flat().at(-1)?.rows[0]?.time
  return typeof time === 'number' ? time : undefined
}

/** Returns a statement for after the waiting commit: PostgreSQL commits notifications one transaction at a time. */
function notifying(client: pg.ClientBase, notification: Notification | undefined): string {
  if (!notification) return ''
  const [channel, payload] = [notification.channel, notification.payload].map((text) =>
    client.escapeLiteral(text),
  )
  return `; select pg_notify(${channel}, ${payload})`
}

/** Whether a commit's wait for the standby was cancelled. The server then reports success, with this warning. */
export const saysUnconfirmed = ({ routine }: Notice): boolean => routine === 'SyncRepWaitForLSN'

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout'
