/**
 * Limits how many requests from an address, and from the networks it is in, can fail. Beyond the limit,
 * requests to the same routes get a 429 before their body is read. Successful requests do not count, because
 * many machines of one owner may share an address.
 */
import type { FastifyInstance, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { RateLimitName, RateLimits } from '../../config/rate-limits.ts'
import { TooManyRequests } from '../../errors.ts'
import type { Counters } from '../../limits/counters.ts'
import { before } from '../hooks.ts'
import { type ShutOut, shutOutAfter } from './shut-out.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The limit on how many requests of an address can fail. Default: no limit. */
    failures?: RateLimitName
  }
}

export interface FailuresOptions {
  readonly counters: Counters
  readonly limits: RateLimits
  readonly clock: Clock
  /** Called for each request that gets a 429. */
  readonly onRefused: (limit: RateLimitName, request: FastifyRequest) => void
}

const WHAT = 'Too many requests from your network failed.'

/** Applies to routes added to `app` later. They throw {@link TooManyRequests}. */
export function limitFailures(
  app: FastifyInstance,
  { limits, onRefused, ...options }: FailuresOptions,
): void {
  const byName = new Map<RateLimitName, ShutOut>()
  app.addHook('onRoute', (route) => {
    const name = route.config?.failures
    const limit = name === undefined ? undefined : limits[name]
    if (name === undefined || !limit) return
    const shutOut = byName.get(name) ?? shutOutAfter(name, limit, options)
    byName.set(name, shutOut)
    route.onRequest = before(
      refuse(shutOut, (request) => onRefused(name, request)),
      route.onRequest,
    )
    route.onSend = before(count(shutOut), route.onSend)
  })
}

const refuse =
  (shutOut: ShutOut, onRefused: (request: FastifyRequest) => void): onRequestHookHandler =>
  (request, _reply, done) => {
    const waitMs = shutOut.waitFor(request.client.networks)
    if (waitMs <= 0) return done()
    onRefused(request)
    done(new TooManyRequests(waitMs, { what: WHAT }))
  }

/** Does not count requests that this service could not check or refused because there were too many. */
const count =
  (shutOut: ShutOut): onSendHookHandler =>
  (request, { statusCode }, payload, done) => {
    if (statusCode < 400 || statusCode >= 500 || statusCode === 429) return done(null, payload)
    shutOut.count(request.client.networks).then(() => done(null, payload), done)
  }
