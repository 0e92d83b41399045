/** Reports each request to metrics, traces and the log, by the pattern of its route and never by its URL. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from '../address.ts'
import { type AccessLine, plainPath } from '../telemetry/access-log.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { RequestSpan } from '../telemetry/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of a refusal. Set by the code that refuses. */
    refusal: string | undefined
    /** Undefined unless requests are traced. */
    span: RequestSpan | undefined
  }
}

export interface ObserverOptions {
  readonly telemetry: Telemetry
  /** Log a request's line at `info` instead of `debug`. */
  readonly accessLog: boolean
  /** Whether to believe the `traceparent` of a peer with this address. */
  readonly trusted: (address: string | undefined) => boolean
}

/** Returns a function that starts observing a request that the hooks do not see. */
export function observeRequests(app: FastifyInstance, options: ObserverOptions) {
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('span', undefined)
  const begin = (request: FastifyRequest, reply: FastifyReply): void => observe(request, reply, options)
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    // Fastify keeps this context while the body arrives.
    if (request.span) request.span.within(done)
    else done()
  })
  return begin
}

/** Machines send these every few seconds: they would hide everything else. */
const isProbe = (route: string | undefined): boolean => route?.startsWith('/health/') === true

function observe(
  request: FastifyRequest,
  reply: FastifyReply,
  { telemetry: { metrics, tracing }, accessLog, trusted }: ObserverOptions,
): void {
  const started = performance.now()
  const { method, url, headers } = request
  const route = request.routeOptions.url
  // Now, while the connection is still open.
  const address = addressOf(request)
  if (!isProbe(route)) {
    const believed = trusted(request.socket.remoteAddress)
    const { traceparent, tracestate } = believed ? headers : {}
    request.span = tracing.request({ method, route, headers: { traceparent, tracestate } })
  }
  // Not `onResponse`, which never runs when the client is gone.
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
