/**
 * Connections to a PostgreSQL with one host or several. All lead to one host: the first that answers and
 * accepts writes. When it stops doing so, all are dropped and the other hosts are tried, as libpq does with
 * `target_session_attrs=read-write`. They never lead to a standby, which may not have a recent revocation
 * yet, and never for long to a primary that was cut off (`heartbeats.ts`).
 */
import pg from 'pg'
import { postgresUrls } from '../../postgres-urls.ts'
import { CHANGE_MESSAGE } from '../changes/row-change.ts'
import type { PoolState } from '../driver.ts'
import { sqlState } from '../errors/driver-errors.ts'
import { Heartbeats, NotConfirmed, type Notification, saysUnconfirmed } from './heartbeats.ts'
import {
  INSPECTION,
  type Inspected,
  isDirect,
  limitsAtStart,
  limitsHold,
  type PostgresLimits,
} from './limits.ts'
import { MeasuredClock } from './measured-clock.ts'

/** The known facts about a connection, and the notices that it sent. */
interface Known {
  /** Whether the time limits are in force on it. If not, each transaction must set its own. */
  limited: boolean
  /** Whether statements prepared on it stay. */
  direct: boolean
  /** The changes announced on it. */
  announced: string[]
  /** Whether a commit was acknowledged without a standby having it. */
  unconfirmed: boolean
}

/** A connection that its holder has until `client` is released. */
export interface Leased {
  readonly client: pg.PoolClient
  readonly known: Known
  readonly heartbeats: Heartbeats
  /** Drops every connection to this server, because it no longer accepts writes. */
  leaveHost(): void
}

/** The connections to one host. */
interface Generation {
  readonly work: pg.Pool
  readonly heartbeatConnections: pg.Pool
  readonly heartbeats: Heartbeats
  /** The open connections of `work`. */
  readonly clients: Set<pg.PoolClient>
  /** Callbacks that reject the calls waiting for a connection of `work`. */
  readonly waiting: Set<(error: Error) => void>
}

const WATCH_MS = 1_000

export class PostgresPool {
  /** The clock of the host that runs our statements. */
  readonly clock = new MeasuredClock()
  readonly #urls: readonly [string, ...string[]]
  readonly #limits: PostgresLimits
  readonly #known = new WeakMap<pg.ClientBase, Known>()
  #host = 0
  /** Whether limits are requested at the start of a connection; false once a PgBouncer has refused them. */
  #limitsAtStart = true
  #current: Generation
  #isClosed = false
  /** Sends heartbeats where no listener does. Without it, a commit would wait endlessly for a lost standby. */
  readonly #watching: NodeJS.Timeout

  constructor(url: string, limits: PostgresLimits) {
    const urls = postgresUrls(url)
    // The configuration has been checked already, and no part of the URL must be shown.
    if (!urls) throw new TypeError('Not a URL of a PostgreSQL.')
    this.#urls = urls
    this.#limits = limits
    this.#current = this.#open()
    this.#watching = setInterval(() => {
      const { work, heartbeats } = this.#current
      if (work.totalCount > work.idleCount) heartbeats.watch()
    }, WATCH_MS).unref()
  }

  /** Returns a connection. Throws the error of the last host. */
  async acquire(): Promise<Leased> {
    // Try each host once, and one of them again if its first connection showed which parameters it accepts.
    for (let tries = this.#urls.length; ; tries--) {
      const generation = this.#current
      try {
        const client = await connect(generation)
        const { heartbeats } = generation
        return { client, known: this.#knownOf(client), heartbeats, leaveHost: () => this.#leave(generation) }
      } catch (error) {
        const again = this.#lookElsewhere(generation, error)
        if (!again || tries === 0) throw error
      }
    }
  }

  /** Sends a heartbeat to the host that runs our statements. Throws the driver's error. */
  async heartbeat(notification: Notification): Promise<void> {
    await this.#current.heartbeats.send(notification)
  }

  /** Closes all connections. Waits for those in use. */
  async close(): Promise<void> {
    this.#isClosed = true
    try {
      await end(this.#current)
    } finally {
      clearInterval(this.#watching)
    }
  }

  /** The process numbers of the servers behind its connections. A PgBouncer makes these numbers up. */
  get serverProcesses(): readonly number[] {
    return [...this.#current.clients].flatMap((client) =>
      'processID' in client && typeof client.processID === 'number' ? client.processID : [],
    )
  }

  /** The state of the connections for work. */
  get state(): PoolState {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#current.work
    return { most: this.#limits.maxConnections, open, idle, waiting }
  }

  #knownOf(client: pg.ClientBase): Known {
    const known = this.#known.get(client)
    if (known) return known
    const unknown: Known = { limited: false, direct: false, announced: [], unconfirmed: false }
    this.#known.set(client, unknown)
    return unknown
  }

  /** Leaves the host if the error is a reason to. Returns whether another try is worthwhile. */
  #lookElsewhere(generation: Generation, error: unknown): boolean {
    if (this.#current !== generation) return true
    if (this.#limitsAtStart && refusesLimits(error)) {
      this.#limitsAtStart = false
      this.#replace()
      return true
    }
    // Also with a single host: this closes connections from before it became a standby.
    if (error instanceof TakesNoWrites) this.#leave(generation)
    if (this.#urls.length === 1 || !leadsElsewhere(error)) return false
    this.#leave(generation)
    return true
  }

  #leave(generation: Generation): void {
    if (this.#current !== generation) return
    this.#host = (this.#host + 1) % this.#urls.length
    this.#replace()
  }

  /** Opens connections to the new host, unless the pool is closed: a heartbeat can still fail then. */
  #replace(): void {
    if (this.#isClosed) return
    const left = this.#current
    this.#current = this.#open()
    for (const refuse of left.waiting) refuse(new HostLeft())
    left.waiting.clear()
    // Connections in use are closed when they are returned.
    void end(left)
  }

  #open(): Generation {
    const clients = new Set<pg.PoolClient>()
    const work = this.#pool(this.#limits.maxConnections)
    work.on('connect', (client) => clients.add(client)).on('remove', (client) => clients.delete(client))
    const heartbeatConnections = this.#pool(1)
    const heartbeats = new Heartbeats(heartbeatConnections, this.#limits.confirmMs, {
      lost: (error) => {
        this.#leave(generation)
        // Commits that no standby confirms would hang. Whether they took effect is unknown, and their callers
        // report that.
        if (error instanceof NotConfirmed) for (const client of clients) void client.end()
      },
      measured: (sent, time) => {
        // An abandoned host may have another clock.
        if (this.#current === generation) this.clock.measured(sent, time)
      },
    })
    const generation: Generation = { work, heartbeatConnections, heartbeats, clients, waiting: new Set() }
    return generation
  }

  #pool(max: number): pg.Pool {
    const { connectMs, answerMs } = this.#limits
    const perHostMs = Math.ceil(connectMs / this.#urls.length)
    const pool = new pg.Pool({
      connectionString: this.#urls[this.#host] ?? this.#urls[0],
      Client: class extends pg.Client {
        constructor(config?: pg.ClientConfig) {
          super({ ...config, connectionTimeoutMillis: perHostMs })
        }
      },
      fallback_application_name: 'ratafia',
      max,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: 60_000,
      query_timeout: answerMs,
      ...(this.#limitsAtStart ? limitsAtStart(this.#limits) : {}),
      keepAlive: true,
      types: { getTypeParser },
      verify: (client, done) => {
        this.#inspect(client).then(() => done(), done)
      },
    })
    // The pool drops a broken idle connection, and the next statement opens another. Without these listeners
    // the 'error' event would end the process, even for a connection in use.
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      client.on('error', () => {})
      const known = this.#knownOf(client)
      client.on('notice', (notice) => {
        const { message = '' } = notice
        if (message.startsWith(CHANGE_MESSAGE)) known.announced.push(message.slice(CHANGE_MESSAGE.length))
        if (saysUnconfirmed(notice)) known.unconfirmed = true
      })
    })
    return pool
  }

  /** Runs once on each connection, before it is used. */
  async #inspect(client: pg.ClientBase): Promise<void> {
    const asked = { text: INSPECTION, query_timeout: this.#limits.connectMs }
    const { rows } = await client.query<Inspected>(asked)
    if (rows[0]?.read_only !== 'off') throw new TakesNoWrites()
    const known = this.#knownOf(client)
    known.limited = limitsHold(rows[0], this.#limits)
    known.direct = isDirect(rows[0], client)
  }
}

class TakesNoWrites extends Error {
  override readonly name = 'TakesNoWrites'
  constructor() {
    super('the server accepts no writes: it is a standby, or set to read-only')
  }
}

class HostLeft extends Error {
  override readonly name = 'HostLeft'
  constructor() {
    super('the server was abandoned while a request waited for a connection to it')
  }
}

/** Closes the heartbeats' connections last: without heartbeats, answers on a connection in use would not be trusted. */
async function end({ work, heartbeatConnections }: Generation): Promise<void> {
  await work.end()
  await heartbeatConnections.end()
}

/** Returns a connection to a host that acknowledged a heartbeat. Stops waiting if the host is abandoned meanwhile. */
async function connect({ work, waiting, heartbeats }: Generation): Promise<pg.PoolClient> {
  const client = await new Promise<pg.PoolClient>((resolve, reject) => {
    waiting.add(reject)
    work.connect().then(
      (connected) => {
        if (waiting.delete(reject)) resolve(connected)
        else connected.release(true)
      },
      (error) => {
        waiting.delete(reject)
        reject(error)
      },
    )
  })
  try {
    await heartbeats.begin(client)
    return client
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Whether PgBouncer refused the limits: it accepts only parameters it knows or has in `ignore_startup_parameters`. */
function refusesLimits(error: unknown): boolean {
  return sqlState(error) === '08P01' && error instanceof Error && /startup parameter/.test(error.message)
}

/** Whether to try another host. Not if the pool or server is full or refuses our credentials: others would too. */
function leadsElsewhere(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return !/^(53|28|3D)/.test(state)
  return !(error instanceof Error && /^timeout exceeded when trying to connect/.test(error.message))
}

const INT8 = 20

/** Parses columns as `pg` does, except that int8 becomes a number, as on SQLite. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 && format !== 'binary') return parseInt8
  return pg.types.getTypeParser(oid, format ?? 'text')
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`An integer of the database is too large: ${text}`)
  return value
}
