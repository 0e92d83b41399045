/**
 * Bounds how many requests a process works on at a time: one more is answered 503 at once, before its body is read, and
 * its connection stays good.
 *
 * A request counts from the end of its body until its answer is made, so those who send or read slowly take no place
 * from the others. Requests that are held for people to act leave again by {@link InFlight.hold}. Health checks do not
 * count.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeRefusal } from '../errors/answer.ts'
import { refusal } from '../errors/refusal.ts'
import { isHealthCheck } from '../health-routes.ts'

export interface InFlightOptions {
  readonly limit: number
  /** Path of the base URL, without a slash at its end: health checks may have it. Default: none. */
  readonly basePath?: string
  /** Told of refusals, once a second at most: how many there were since the last time. */
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

  /** How many requests are worked on. */
  get size(): number {
    // An answer that is made waits for its client, or behind another one of its connection: that is no work.
    for (const response of this.#working) if (response.writableEnded) this.#working.delete(response)
    return this.#working.size
  }

  /** False: there are too many, and it is answered. */
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

  /** It waits for something outside of this service, and does not count any more. */
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

/** Of a GET nobody takes the body: it is worked on at once, and would never count. */
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
