/**
 * Limits the connections of a server: how many there are, how many requests one may send ahead, and how long a client
 * may take to read its answer. Node itself limits how long a request takes to arrive and how long a connection is idle
 * (`server.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Networks, networksOf } from '../../addresses/address.ts'
import { Crowd } from '../../limits/crowd.ts'
import { announcesBody } from '../bodies/has-body.ts'
import { writeRefusal } from '../errors/answer.ts'
import { refusal } from '../errors/refusal.ts'

export interface ConnectionLimits {
  /** Open at a time. */
  readonly connections: number
  /** Requests of one connection that are not answered. */
  readonly ahead: number
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
  // Clients of today send the next request when they have the answer to the last.
  ahead: 16,
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
  readonly networks: Networks
  /** Those that are not complete, in their order: nearly always one at most, for which a `Set` is garbage again and again. */
  readonly answers: ServerResponse[]
  /** Counts the requests of all connections: the connection with the lowest number was quiet for longest. */
  lastRequest: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #open = new Map<Socket, Connection>()
  #requests = 0
  /** When the client could start to read the answer, in terms of `performance.now()`. */
  readonly #answeredAt = new WeakMap<ServerResponse, number>()
  /** Of requests that wait for a person or for another service. */
  readonly #held = new WeakSet<ServerResponse>()
  readonly #timer: NodeJS.Timeout

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#timer = setInterval(() => this.#cutSlowReaders(), limits.check).unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** The answers that are not complete. */
  get answers(): readonly ServerResponse[] {
    return [...this.#open.values()].flatMap(({ answers }) => answers)
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
    this.#open.set(socket, {
      networks: networksOf(socket.remoteAddress ?? ''),
      answers: [],
      lastRequest: this.#requests,
    })
    socket.once('close', () => this.#open.delete(socket))
  }

  /** A request has begun. False: it is one too many on its connection, and nobody needs to handle it. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    // Node goes on parsing what had arrived before the connection was cut.
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

  /** Node reads and discards the rest of a body, so that the connection can be used again. Limits how long. */
  #limitRest(request: IncomingMessage, response: ServerResponse): void {
    response.once('finish', () => {
      if (request.complete) return
      setTimeout(() => request.complete || request.socket.destroy(), this.#limits.afterAnswer).unref()
    })
  }

  /** The request waits for a person or for another service, and so would all that its client sent after it. */
  hold(response: ServerResponse): void {
    this.#held.add(response)
    const { socket } = response.req
    if ([...this.answersOf(socket)].at(-1) !== response) cut(socket)
  }

  /** Each request that waits for an earlier one costs memory, so a client can send only so many ahead. */
  #mayAhead(socket: Socket, answers: readonly ServerResponse[], response: ServerResponse): boolean {
    const { ahead } = this.#limits
    const behindHeld = answers.some((one) => one !== response && this.#held.has(one) && !one.writableEnded)
    if (!behindHeld && answers.length <= ahead) return true
    // What has arrived with it is read all the same: refuse a few with a reason, but do not collect refusals.
    if (behindHeld || answers.length > 2 * ahead) cut(socket)
    else writeRefusal(response, refusal('service-unavailable', AHEAD, { close: true }))
    return false
  }

  /** Cuts connections without a request. */
  cutIdle(): void {
    for (const [socket, { answers }] of this.#open) if (answers.length === 0) socket.destroy()
  }

  /** To be called when no connections are left. */
  close(): void {
    clearInterval(this.#timer)
  }

  #cutSlowReaders(): void {
    const now = performance.now()
    for (const response of this.answers) {
      // Without a socket it waits for another answer on its connection.
      if (!response.writableEnded || !response.socket) continue
      const since = this.#answeredAt.get(response)
      if (since === undefined) this.#answeredAt.set(response, now)
      else if (now - since >= this.#limits.answer) response.socket.destroy()
    }
  }

  /** Cuts a hundredth of them at once, because looking at all takes a while. False: there was none to cut. */
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
 * Cuts a connection while its requests are parsed. Node would go on with all that has arrived, hundreds of requests in
 * one go: they would cost as much as others, and everybody would wait for them. `parser` is not in Node's
 * documentation; without it only that is lost.
 */
function cut(socket: Socket & { readonly parser?: { onIncoming?: unknown } }): void {
  socket.destroy()
  if (socket.parser) socket.parser.onIncoming = () => NO_MORE_REQUESTS
}

/** What Node's parser takes from it for an upgrade: what follows is not HTTP. */
const NO_MORE_REQUESTS = 2

/** Undefined: a request is being handled. */
function stateOf(answers: readonly ServerResponse[]): State | undefined {
  if (answers.length === 0) return 'no request'
  const open = answers.filter(({ writableEnded }) => !writableEnded)
  if (open.length === 0) return 'answer is not read'
  return open.every(({ req }) => !req.complete) ? 'request is arriving' : undefined
}
