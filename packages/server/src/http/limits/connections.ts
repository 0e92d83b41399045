/**
 * The connections of a server: who sends slowly, or does not take an answer, is cut; and there are never more than so
 * many. What a request may take to arrive, and how long a connection may be idle, is Node's to watch (`server.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressKey } from '../../address.ts'

export interface ConnectionLimits {
  /** At a time. */
  readonly connections: number
  /** Milliseconds for the request line and the headers, of a new connection from its beginning. */
  readonly headers: number
  /** Milliseconds for a whole request: longer than any body takes on a line that a device has. */
  readonly request: number
  /** Milliseconds without a request. */
  readonly idle: number
  /** Milliseconds for a client to take an answer. */
  readonly answer: number
  /** Milliseconds for a body that goes on after its answer. */
  readonly afterAnswer: number
  /** Milliseconds between two looks for those that are over a limit. */
  readonly check: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 10_000,
  headers: 20_000,
  request: 60_000,
  // snapd drops an idle connection after 90 seconds: it, and not we, should be the one (contract/devices.md 1.0).
  idle: 100_000,
  answer: 60_000,
  afterAnswer: 5_000,
  check: 5_000,
}

/** Where room is made first. Whatever is worked on is not among them. */
const STATES = ['no request', 'request is coming', 'answer is not taken'] as const
type State = (typeof STATES)[number]

interface Connection {
  readonly address: string
  readonly answers: Set<ServerResponse>
}

export class Connections {
  readonly #limits: ConnectionLimits
  /** In the order of their last requests: the one that was quiet longest is first. */
  readonly #open = new Map<Socket, Connection>()
  readonly #answers = new Set<ServerResponse>()
  /** Since when a client takes its answer, as of `performance.now()`. */
  readonly #answeredAt = new WeakMap<ServerResponse, number>()
  readonly #timer: NodeJS.Timeout

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#timer = setInterval(() => this.#cutSlowReaders(), limits.check).unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** The requests that are not answered to their end. */
  get answers(): ReadonlySet<ServerResponse> {
    return this.#answers
  }

  /** Of these the ones on this connection, in their order. */
  answersOf(socket: Socket): Iterable<ServerResponse> {
    return this.#open.get(socket)?.answers ?? []
  }

  /** Takes a new connection, for which another may have to go. */
  add(socket: Socket): void {
    if (this.#open.size >= this.#limits.connections && !this.#makeRoom()) {
      socket.destroy()
      return
    }
    this.#open.set(socket, { address: addressKey(socket.remoteAddress ?? ''), answers: new Set() })
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
    // Node reads on and drops what comes, so that the connection can be used again: not for ever.
    response.once('finish', () => {
      if (request.complete) return
      setTimeout(() => request.complete || socket.destroy(), this.#limits.afterAnswer).unref()
    })
  }

  /** Cuts those without a request. */
  cutIdle(): void {
    for (const [socket, { answers }] of this.#open) if (answers.size === 0) socket.destroy()
  }

  /** There are no connections any more. */
  close(): void {
    clearInterval(this.#timer)
  }

  #cutSlowReaders(): void {
    const now = performance.now()
    for (const response of this.#answers) {
      // One without a socket waits behind another of its connection.
      if (!response.writableEnded || !response.socket) continue
      const since = this.#answeredAt.get(response)
      if (since === undefined) this.#answeredAt.set(response, now)
      else if (now - since >= this.#limits.answer) response.socket.destroy()
    }
  }

  /** Cuts some at once, a hundredth, because looking at all of them takes a while. False: there was none to cut. */
  #makeRoom(): boolean {
    const [candidates] = STATES.map((state) => this.#byAddress(state)).filter(({ length }) => length > 0)
    if (!candidates) return false
    for (let left = Math.ceil(this.#limits.connections / 100); left > 0; left--) {
      const most = candidates.reduce((a, b) => (b.length > a.length ? b : a))
      most.pop()?.destroy()
    }
    return true
  }

  /** Those in this state, in a list for each address, the one that was quiet longest last. */
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

/** Undefined: it is worked on. */
function stateOf(answers: ReadonlySet<ServerResponse>): State | undefined {
  if (answers.size === 0) return 'no request'
  const open = [...answers].filter(({ writableEnded }) => !writableEnded)
  if (open.length === 0) return 'answer is not taken'
  return open.every(({ req }) => !req.complete) ? 'request is coming' : undefined
}
