/**
 * Limits the connections of a server: how many there are, and how long a client may take to read its answer. Node
 * itself limits how long a request takes to arrive and how long a connection is idle (`server.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networksOf } from '../../address.ts'

export interface ConnectionLimits {
  /** Open at a time. */
  readonly connections: number
  /** Milliseconds for the request line and the headers; on a new connection, from its start. */
  readonly headers: number
  /** Milliseconds for a whole request: longer than any body takes on a device's slow line. */
  readonly request: number
  /** Milliseconds without a request. */
  readonly idle: number
  /** Milliseconds for a client to read an answer. */
  readonly answer: number
  /** Milliseconds for a body that continues after its answer. */
  readonly afterAnswer: number
  /** Milliseconds between two searches for connections over a limit. */
  readonly check: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 10_000,
  headers: 20_000,
  request: 60_000,
  // snapd drops an idle connection after 90 seconds, and should do so before us (contract/devices.md 1.0).
  idle: 100_000,
  answer: 60_000,
  afterAnswer: 5_000,
  check: 5_000,
}

/** The states of connections to cut, in this order. One whose request is being handled is never cut. */
const STATES = ['no request', 'request is arriving', 'answer is not read'] as const
type State = (typeof STATES)[number]

interface Connection {
  readonly address: string
  readonly answers: Set<ServerResponse>
}

export class Connections {
  readonly #limits: ConnectionLimits
  /** In the order of their last requests: the one that was quiet for longest comes first. */
  readonly #open = new Map<Socket, Connection>()
  readonly #answers = new Set<ServerResponse>()
  /** When the client could start to read the answer, in terms of `performance.now()`. */
  readonly #answeredAt = new WeakMap<ServerResponse, number>()
  readonly #timer: NodeJS.Timeout

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#timer = setInterval(() => this.#cutSlowReaders(), limits.check).unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** The answers that are not complete. */
  get answers(): ReadonlySet<ServerResponse> {
    return this.#answers
  }

  /** Those on this connection, in their order. */
  answersOf(socket: Socket): Iterable<ServerResponse> {
    return this.#open.get(socket)?.answers ?? []
  }

  /** Adds a new connection; another may be cut for it. */
  add(socket: Socket): void {
    if (this.#open.size >= this.#limits.connections && !this.#makeRoom()) {
      socket.destroy()
      return
    }
    this.#open.set(socket, { address: networksOf(socket.remoteAddress ?? '')[0], answers: new Set() })
    socket.once('close', () => this.#open.delete(socket))
  }

  /** A request has begun. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#open.get(socket)
    this.#answers.add(response)
    if (connection) {
      connection.answers.add(response)
      this.#open.delete(socket)
      this.#open.set(socket, connection)
    }
    response.once('close', () => {
      this.#answers.delete(response)
      connection?.answers.delete(response)
    })
    // Node reads and discards the rest of the body, so that the connection can be used again. Limit how long.
    response.once('finish', () => {
      if (request.complete) return
      setTimeout(() => request.complete || socket.destroy(), this.#limits.afterAnswer).unref()
    })
  }

  /** Cuts connections without a request. */
  cutIdle(): void {
    for (const [socket, { answers }] of this.#open) if (answers.size === 0) socket.destroy()
  }

  /** To be called when no connections are left. */
  close(): void {
    clearInterval(this.#timer)
  }

  #cutSlowReaders(): void {
    const now = performance.now()
    for (const response of this.#answers) {
      // Without a socket it waits for another answer on its connection.
      if (!response.writableEnded || !response.socket) continue
      const since = this.#answeredAt.get(response)
      if (since === undefined) this.#answeredAt.set(response, now)
      else if (now - since >= this.#limits.answer) response.socket.destroy()
    }
  }

  /** Cuts a hundredth of them at once, because looking at all takes a while. False: there was none to cut. */
  #makeRoom(): boolean {
    const [candidates] = STATES.map((state) => this.#byAddress(state)).filter(({ length }) => length > 0)
    if (!candidates) return false
    for (let left = Math.ceil(this.#limits.connections / 100); left > 0; left--) {
      const most = candidates.reduce((a, b) => (b.length > a.length ? b : a))
      most.pop()?.destroy()
    }
    return true
  }

  /** Those in this state, a list for each address; the one that was quiet for longest comes last. */
  #byAddress(state: State): Socket[][] {
    const found = new Map<string, Socket[]>()
    for (const [socket, { address, answers }] of this.#open) {
      if (socket.destroyed || stateOf(answers) !== state) continue
      const others = found.get(address)
      if (others) others.push(socket)
      else found.set(address, [socket])
    }
    return [...found.values()].map((sockets) => sockets.reverse())
  }
}

/** Undefined: a request is being handled. */
function stateOf(answers: ReadonlySet<ServerResponse>): State | undefined {
  if (answers.size === 0) return 'no request'
  const open = [...answers].filter(({ writableEnded }) => !writableEnded)
  if (open.length === 0) return 'answer is not read'
  return open.every(({ req }) => !req.complete) ? 'request is arriving' : undefined
}
