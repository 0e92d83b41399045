/** Reports each request to metrics, traces and the log, by its route's pattern and never by its URL. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AccessLine, plainPath } from '../telemetry/access-log.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { RequestSpan } from '../telemetry/tracing.ts'
import type { Clients } from './client.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of a refusal. The refusing code sets it. */
    refusal: string | undefined
    /** The request's span; undefined unless requests are traced. */
    span: RequestSpan | undefined
  }
}

export interface ObserverOptions {
  readonly telemetry: Telemetry
  readonly clients: Clients
  /** Log a request's line at `info` instead of `debug`. */
  readonly accessLog: boolean
}

/** Returns a function that observes a request which the hooks do not see. */
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

/** Machines send these every few seconds, which would hide everything else. */
const isProbe = (route: string | undefined): boolean => route?.startsWith('/health/') === true

function observe(
  request: FastifyRequest,
  reply: FastifyReply,
  { telemetry: { metrics, tracing }, clients, accessLog }: ObserverOptions,
): void {
  const started = performance.now()
  const { method, url, headers } = request
  const route = request.routeOptions.url
  // Not `request.client`, which a request with a bad path lacks.
  const { address, byTrustedProxy } = clients(request.raw)
  if (!isProbe(route)) {
    const { traceparent, tracestate } = byTrustedProxy ? headers : {}
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
