/**
 * Limits the connections of a server: how many there are, how many requests one can send ahead, and how long
 * a client can take to read its answer. Node itself limits how long a request takes to arrive and how long a
 * connection is idle (`server.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Networks, networksOf } from '../../addresses/address.ts'
import { Crowd } from '../../limits/crowd.ts'
import { announcesBody } from '../bodies/body-headers.ts'
import { writeRefusal } from '../errors/answer.ts'
import { refusal } from '../errors/refusal.ts'

export interface ConnectionLimits {
  /** How many can be open at a time. */
  readonly connections: number
  /** How many unanswered requests one connection can have. */
  readonly ahead: number
  /**
   * How long the request line and headers can take, in milliseconds; on a new connection, from its start. The
   * other limits are also in milliseconds.
   */
  readonly headers: number
  /** How long a whole request can take: longer than any body needs on a device's slow line. */
  readonly request: number
  /** How long a connection can be without a request. */
  readonly idle: number
  /** How long a client can take to read an answer. */
  readonly answer: number
  /** How long a body can continue after its answer. */
  readonly afterAnswer: number
  /** The time between two checks for connections over a limit. */
  readonly check: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 10_000,
  // Current clients send the next request only after the previous answer.
  ahead: 16,
  headers: 20_000,
  request: 60_000,
  // snapd drops an idle connection after 90 seconds, and should do so before we do (contract/devices.md 1.0).
  idle: 100_000,
  answer: 60_000,
  afterAnswer: 5_000,
  check: 5_000,
}

/** The states of connections to cut, in this order. A connection whose request is being handled is never cut. */
const STATES = ['no request', 'request is arriving', 'answer is not read'] as const
type State = (typeof STATES)[number]

interface Connection {
  readonly networks: Networks
  /** Incomplete answers, in order: nearly always at most one. A `Set` would keep creating garbage. */
  readonly answers: ServerResponse[]
  /** Counts the requests of all connections: the lowest number has been quiet the longest. */
  lastRequest: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #open = new Map<Socket, Connection>()
  #requests = 0
  /** When the client could start to read the answer, by `performance.now()`. */
  readonly #answeredAt = new WeakMap<ServerResponse, number>()
  /** Answers to requests that wait for a person or another service. */
  readonly #held = new WeakSet<ServerResponse>()
  readonly #timer: NodeJS.Timeout

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#timer = setInterval(() => this.#cutSlowReaders(), limits.check).unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** All incomplete answers. */
  get answers(): readonly ServerResponse[] {
    return [...this.#open.values()].flatMap(({ answers }) => answers)
  }

  /** Returns the incomplete answers of this connection, in order. */
  answersOf(socket: Socket): Iterable<ServerResponse> {
    return this.#open.get(socket)?.answers ?? []
  }

  /** Adds a new connection, and cuts others if there are too many. */
  add(socket: Socket): void {
    if (this.#open.size >= this.#limits.connections && !this.#makeRoom()) {
      socket.destroy()
      return
    }
    this.#keep(socket, {
      networks: networksOf(socket.remoteAddress ?? ''),
      answers: [],
      lastRequest: this.#requests,
    })
  }

  /** Continues a connection whose TLS handshake is done: its requests belong to `socket`, which decrypts them. */
  decrypt(socket: TLSSocket): void {
    const tcp = tcpSocketOf(socket)
    const connection = tcp && this.#open.get(tcp)
    // A connection that was cut during the handshake closes by itself.
    if (!connection) return
    this.#open.delete(tcp)
    this.#keep(socket, connection)
  }

  #keep(socket: Socket, connection: Connection): void {
    this.#open.set(socket, connection)
    socket.once('close', () => this.#open.delete(socket))
  }

  /** Registers a request. Returns false if its connection has too many; the request then needs no handling. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    // Node continues to parse what had arrived before the connection was cut.
    if (socket.destroyed) return false
    const connection = this.#open.get(socket)
    if (!connection) return true
    connection.lastRequest = ++this.#requests
    const { answers } = connection
    answers.push(response)
    response.once('close', () => answers.splice(answers.indexOf(response), 1))
    if (announcesBody(request)) this.#limitRest(request, response)
    return answers.length === 1 || this.#mayAhead(socket, answers, response)
  }

  /** Node reads and discards the rest of a body so that the connection can be reused. Limits how long that takes. */
  #limitRest(request: IncomingMessage, response: ServerResponse): void {
    response.once('finish', () => {
      if (request.complete) return
      setTimeout(() => request.complete || request.socket.destroy(), this.#limits.afterAnswer).unref()
    })
  }

  /**
   * Marks a request that waits for a person or another service. Cuts its connection if the client has sent more
   * after it, because those requests would also wait.
   */
  hold(response: ServerResponse): void {
    this.#held.add(response)
    const { socket } = response.req
    if ([...this.answersOf(socket)].at(-1) !== response) cut(socket)
  }

  /** Each request that waits for an earlier one costs memory, so a client can only send a few ahead. */
  #mayAhead(socket: Socket, answers: readonly ServerResponse[], response: ServerResponse): boolean {
    const { ahead } = this.#limits
    const behindHeld = answers.some((one) => one !== response && this.#held.has(one) && !one.writableEnded)
    if (!behindHeld && answers.length <= ahead) return true
    // Requests that arrived with it are read anyway: refuse a few with a reason, but do not collect refusals.
    if (behindHeld || answers.length > 2 * ahead) cut(socket)
    else writeRefusal(response, refusal('service-unavailable', AHEAD, { close: true }))
    return false
  }

  /** Cuts connections without a request. */
  cutIdle(): void {
    for (const [socket, { answers }] of this.#open) if (answers.length === 0) socket.destroy()
  }

  /** Must be called when no connections are left. */
  close(): void {
    clearInterval(this.#timer)
  }

  #cutSlowReaders(): void {
    const now = performance.now()
    for (const response of this.answers) {
      // Without a socket, the answer waits for another one on its connection.
      if (!response.writableEnded || !response.socket) continue
      const since = this.#answeredAt.get(response)
      if (since === undefined) this.#answeredAt.set(response, now)
      else if (now - since >= this.#limits.answer) response.socket.destroy()
    }
  }

  /**
   * Cuts a hundredth of the connections at once, because looking at all is slow. Returns false if none could be cut.
   */
  #makeRoom(): boolean {
    const candidates = STATES.map((state) => this.#inState(state)).find(({ size }) => size > 0)
    if (!candidates) return false
    for (let left = Math.ceil(this.#limits.connections / 100); left > 0; left--) {
      const quiet = candidates.oldestOfMost()
      if (!quiet) break
      candidates.delete(quiet.networks, quiet)
      quiet.socket.destroy()
    }
    return true
  }

  #inState(state: State): Crowd<{ readonly socket: Socket; readonly networks: Networks }> {
    const found = new Crowd<{ readonly socket: Socket; readonly networks: Networks }>()
    const quietestFirst = [...this.#open].sort(([, a], [, b]) => a.lastRequest - b.lastRequest)
    for (const [socket, { networks, answers }] of quietestFirst) {
      if (!socket.destroyed && stateOf(answers) === state) found.add(networks, { socket, networks })
    }
    return found
  }
}

const AHEAD = 'There are too many unanswered requests on this connection. Wait for answers, then send more.'

/**
 * Cuts a connection while its requests are being parsed. Node would otherwise handle all that has arrived,
 * hundreds of requests at once, at full cost and while all other clients wait. `parser` is not in Node's
 * documentation; without it, only this protection is lost.
 */
function cut(socket: Socket & { readonly parser?: { onIncoming?: unknown } }): void {
  socket.destroy()
  if (socket.parser) socket.parser.onIncoming = () => NO_MORE_REQUESTS
}

/**
 * Returns the connection below a socket that decrypts it. `_parent` is not in Node's documentation; without it, such
 * connections are only limited by their number, and a test fails.
 */
export const tcpSocketOf = (socket: TLSSocket & { readonly _parent?: Socket }): Socket | undefined =>
  socket._parent

/** Node's parser expects this value for an upgrade: what follows is not HTTP. */
const NO_MORE_REQUESTS = 2

/** Returns undefined if a request is being handled. */
function stateOf(answers: readonly ServerResponse[]): State | undefined {
  if (answers.length === 0) return 'no request'
  const open = answers.filter(({ writableEnded }) => !writableEnded)
  if (open.length === 0) return 'answer is not read'
  return open.every(({ req }) => !req.complete) ? 'request is arriving' : undefined
}
