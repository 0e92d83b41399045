/** Tells metrics, traces and the log of each request, by the pattern of its route and never by its address. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from '../address.ts'
import { type AccessLine, plainPath } from '../telemetry/access-log.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { RequestSpan } from '../telemetry/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code in the body of the answer, where it is a refusal. Set by whoever answers with one. */
    refusal: string | undefined
    /** While requests are traced. */
    span: RequestSpan | undefined
  }
}

export interface ObserverOptions {
  readonly telemetry: Telemetry
  /** Whether the line of a request is written at `info`, and not at `debug`. */
  readonly accessLog: boolean
  /** Of the connection's other end: whether its `traceparent` is believed. */
  readonly trusted: (address: string | undefined) => boolean
}

/** Begins to observe a request, for those that hooks do not see. */
export type Observer = (request: FastifyRequest, reply: FastifyReply) => void

export function observeRequests(app: FastifyInstance, options: ObserverOptions): Observer {
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('span', undefined)
  const begin: Observer = (request, reply) => observe(request, reply, options)
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    // Fastify keeps this context over the arrival of the body.
    if (request.span) request.span.within(done)
    else done()
  })
  return begin
}

/** Asked every few seconds by machines: they would hide everything else. */
const isProbe = (route: string | undefined): boolean => route?.startsWith('/health/') === true

function observe(
  request: FastifyRequest,
  reply: FastifyReply,
  { telemetry: { metrics, tracing }, accessLog, trusted }: ObserverOptions,
): void {
  const started = performance.now()
  const { method, url, headers } = request
  const route = request.routeOptions.url
  // While the connection is surely there.
  const address = addressOf(request)
  if (!isProbe(route)) {
    const believed = trusted(request.socket.remoteAddress)
    const { traceparent, tracestate } = believed ? headers : {}
    request.span = tracing.request({ method, route, headers: { traceparent, tracestate } })
  }
  // Not `onResponse`, which a client that is gone never brings about.
  reply.raw.once('close', () => {
    const { refusal, span } = request
    const status = reply.raw.writableFinished ? reply.raw.statusCode : 499
    const ms = performance.now() - started
    metrics.answered({ method, route, status, refusal, seconds: ms / 1000 })
    span?.end({ status, refusal })
    const line: AccessLine = {
      method,
      route: route ?? null,
      ...(route === undefined ? { path: plainPath(url) } : {}),
      status,
      ...(refusal === undefined ? {} : { refusal }),
      ms: Math.round(ms * 10) / 10,
      bytes: method === 'HEAD' ? 0 : Number(reply.getHeader('content-length') ?? 0),
      address,
      ...(span?.traceId === undefined ? {} : { trace: span.traceId }),
    }
    if (accessLog && !isProbe(route)) request.log.info(line, 'request')
    else request.log.debug(line, 'request')
  })
}
