/**
 * Limits how many requests a process handles at a time: one more gets a 503 at once, before its body is read,
 * and can keep its connection. No network can use all places: see {@link Shares}.
 *
 * A request counts from the end of its body until its answer is ready, so slow senders and readers do not
 * take up a place. Requests that wait for people, or for another service, stop counting with {@link
 * InFlight.hold}. Health checks do not count.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Networks } from '../../addresses/address.ts'
import { Shares } from '../../limits/shares.ts'
import { hasBody } from '../bodies/body-headers.ts'
import { writeRefusal } from '../errors/answer.ts'
import { refusal } from '../errors/refusal.ts'
import { isHealthCheck } from '../health-routes.ts'

export interface InFlightOptions {
  readonly limit: number
  /** Returns the networks of the request's sender. Default: networks have no limited shares. */
  readonly networks?: (request: IncomingMessage) => Networks
  /** The path of the base URL, without a trailing slash: health checks can start with it. Default: none. */
  readonly basePath?: string
  /** Called at most once a second with the number of refusals since the last call. */
  readonly onRefused?: (refused: number) => void
}

const REPORT_MS = 1_000

/** A request that can be handled. */
interface Work {
  readonly response: ServerResponse
  /** The networks whose share it uses. */
  readonly networks: Networks | undefined
  /** Its index in `#working`; -1 while it is not there. */
  place: number
}

export class InFlight {
  readonly #limit: number
  readonly #shares: Shares
  readonly #networks: InFlightOptions['networks']
  readonly #basePath: string
  readonly #onRefused: (refused: number) => void
  /** Unordered. Not a `Map`: filling and emptying one all the time keeps the garbage collector busy. */
  readonly #working: Work[] = []
  /** Answers to requests that did not find a free place when their body had arrived. */
  readonly #late = new WeakSet<ServerResponse>()
  #refused = 0
  #reporting = false

  constructor({ limit, networks, basePath = '', onRefused = () => {} }: InFlightOptions) {
    this.#limit = limit
    this.#shares = new Shares(limit)
    this.#networks = networks
    this.#basePath = basePath
    this.#onRefused = onRefused
  }

  /** How many requests are being handled. */
  get size(): number {
    this.#forgetFinished()
    return this.#working.length
  }

  /** Returns false if there are too many requests; this one then got its 503. */
  enter(request: IncomingMessage, response: ServerResponse): boolean {
    if (isHealthCheck(request.url, this.#basePath)) return true
    const networks = this.#networks?.(request)
    if (!this.#hasRoom(networks)) {
      answerFull(request, response)
      this.#report()
      return false
    }
    const work: Work = { response, networks, place: -1 }
    response.on('close', () => this.#leave(work))
    if (!hasBody(request)) this.#begin(work)
    else {
      request.once('end', () => {
        if (response.writableEnded) return
        if (this.#hasRoom(networks)) this.#begin(work)
        else this.#late.add(response)
      })
    }
    return true
  }

  /** Returns false if no place was free when the body had arrived; the request must then be refused. */
  admitted(response: ServerResponse): boolean {
    if (!this.#late.has(response)) return true
    this.#report()
    return false
  }

  /** The request waits for something outside this service and stops counting. The caller limits how many wait. */
  hold(response: ServerResponse): void {
    const work = this.#working.find((one) => one.response === response)
    if (work) this.#leave(work)
  }

  #hasRoom(networks: Networks | undefined): boolean {
    if (this.#isRoom(networks)) return true
    this.#forgetFinished()
    return this.#isRoom(networks)
  }

  #isRoom(networks: Networks | undefined): boolean {
    return networks ? this.#shares.has(networks) : this.#working.length < this.#limit
  }

  #begin(work: Work): void {
    if (work.networks) this.#shares.take(work.networks)
    work.place = this.#working.push(work) - 1
  }

  #leave(work: Work): void {
    const { place, networks } = work
    if (place < 0) return
    // The last one moves to its index.
    const last = this.#working.pop()
    if (last && last !== work) {
      this.#working[place] = last
      last.place = place
    }
    work.place = -1
    if (networks) this.#shares.giveBack(networks)
  }

  /** A finished answer only waits for its client or for another answer on its connection, which is not work. */
  #forgetFinished(): void {
    for (const work of this.#working.filter(({ response }) => response.writableEnded)) this.#leave(work)
  }

  #report(): void {
    this.#refused += 1
    if (this.#reporting) return
    this.#reporting = true
    setTimeout(() => {
      this.#reporting = false
      this.#onRefused(this.#refused)
      this.#refused = 0
    }, REPORT_MS).unref()
  }
}

function answerFull(request: IncomingMessage, response: ServerResponse): void {
  const message = 'The service is handling as many requests as it can. Try again in a moment.'
  // A client that asked before sending its body will not send it: the next request would be read as the body.
  const close = request.headers.expect !== undefined
  writeRefusal(response, refusal('service-unavailable', message, { close }))
}
