/**
 * Limits how many requests a process handles at a time: one more gets a 503 at once, before its body is read, and can
 * keep its connection.
 *
 * A request counts from the end of its body until its answer is made, so slow senders and readers take no place from
 * others. Requests that wait for people to act stop counting with {@link InFlight.hold}. Health checks do not count.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeRefusal } from '../errors/answer.ts'
import { refusal } from '../errors/refusal.ts'
import { isHealthCheck } from '../health-routes.ts'

export interface InFlightOptions {
  readonly limit: number
  /** The path of the base URL, without a trailing slash: health checks may start with it. Default: none. */
  readonly basePath?: string
  /** Called at most once a second with the number of refusals since the last call. */
  readonly onRefused?: (refused: number) => void
}

const REPORT_MS = 1_000

export class InFlight {
  readonly #limit: number
  readonly #basePath: string
  readonly #onRefused: (refused: number) => void
  readonly #working = new Set<ServerResponse>()
  #refused = 0
  #reporting = false

  constructor({ limit, basePath = '', onRefused = () => {} }: InFlightOptions) {
    this.#limit = limit
    this.#basePath = basePath
    this.#onRefused = onRefused
  }

  /** How many requests are being handled. */
  get size(): number {
    // A finished answer waits for its client, or for another answer on its connection: that is not work.
    for (const response of this.#working) if (response.writableEnded) this.#working.delete(response)
    return this.#working.size
  }

  /** False: there are too many, and the request got its 503. */
  enter(request: IncomingMessage, response: ServerResponse): boolean {
    if (isHealthCheck(request.url, this.#basePath)) return true
    if (this.#working.size >= this.#limit && this.size >= this.#limit) {
      answerFull(request, response)
      this.#report()
      return false
    }
    response.once('close', () => this.#working.delete(response))
    if (waitsForBody(request))
      request.once('end', () => response.writableEnded || this.#working.add(response))
    else this.#working.add(response)
    return true
  }

  /** The request waits for something outside this service and no longer counts. */
  hold(response: ServerResponse): void {
    this.#working.delete(response)
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

/** The body of a GET is never read, so its end never comes: count the request at once. */
const waitsForBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')

function answerFull(request: IncomingMessage, response: ServerResponse): void {
  const message = 'The service is handling as many requests as it can. Try again in a moment.'
  // A client that asked first whether to send its body will not send it: the next request would be taken for the body.
  const close = request.headers.expect !== undefined
  writeRefusal(response, refusal('service-unavailable', message, { close }))
}
