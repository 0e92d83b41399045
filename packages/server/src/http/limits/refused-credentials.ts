/**
 * Limits how many credentials from an address, and from the networks it is in, are refused with a 401. Beyond
 * the limit, requests to routes with `credentials` get a 429 before anything about them is examined, except
 * those with a recently accepted credential. So one machine that sends invalid ones, or a service that checks
 * other clients' credentials, does not shut out valid clients.
 */
import type { ErrorCode } from '@ratafia/api'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { RateLimit } from '../../config/rate-limits.ts'
import { TooManyRequests } from '../../errors.ts'
import type { Counters } from '../../limits/counters.ts'
import { credentialsDigest } from '../credentials/digest.ts'
import { before } from '../hooks.ts'
import { shutOutAfter } from './shut-out.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a 401 of the route means a refused credential. Default: no. */
    credentials?: boolean
  }
}

export interface RefusedCredentialsOptions {
  readonly counters: Counters
  /** The limit; undefined for no limit. */
  readonly limit: RateLimit | undefined
  readonly clock: Clock
  /** Called for each request that gets a 429. */
  readonly onRefused: (request: FastifyRequest) => void
}

/** The minimum number of accepted credentials that are remembered. */
const CREDENTIALS = 20_000

const NEEDS_REFRESH = 'macaroon-needs-refresh' satisfies ErrorCode

const WHAT = 'Too many credentials from your network were refused.'

/** Applies to routes added to `app` later. They throw {@link TooManyRequests}. */
export function limitRefusedCredentials(app: FastifyInstance, options: RefusedCredentialsOptions): void {
  const { limit, onRefused } = options
  if (!limit) return
  const shutOut = shutOutAfter('refused', limit, options)
  const accepted = new Recent(CREDENTIALS)

  const refuseShutOut: onRequestHookHandler = (request, _reply, done) => {
    const waitMs = shutOut.waitFor(request.client.networks)
    if (waitMs <= 0 || accepted.has(credentialsDigest(request))) return done()
    onRefused(request)
    done(new TooManyRequests(waitMs, { what: WHAT }))
  }
  const note: onSendHookHandler = (request, { statusCode }, payload, done) => {
    if (statusCode < 300) accepted.add(credentialsDigest(request))
    // A discharge that needs a refresh was genuine.
    if (statusCode !== 401 || request.refusal === NEEDS_REFRESH) return done(null, payload)
    accepted.delete(credentialsDigest(request))
    shutOut.count(request.client.networks).then(() => done(null, payload), done)
  }
  app.addHook('onRoute', (route) => {
    if (!route.config?.credentials) return
    route.onRequest = before(refuseShutOut, route.onRequest)
    route.onSend = before(note, route.onSend)
  })
}

/**
 * The strings that were added last: at least `most` different ones, and at most twice that many. Two sets
 * instead of a list by time of use, so that a known text is only looked up and not moved.
 */
export class Recent {
  readonly #most: number
  #newer = new Set<string>()
  #older = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  add(text: string): void {
    if (this.#newer.has(text)) return
    if (this.#newer.size >= this.#most) {
      this.#older = this.#newer
      this.#newer = new Set()
    }
    this.#newer.add(text)
  }

  has(text: string): boolean {
    return this.#newer.has(text) || this.#older.has(text)
  }

  delete(text: string): void {
    this.#newer.delete(text)
    this.#older.delete(text)
  }
}
