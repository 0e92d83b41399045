/**
 * Implements traces with OpenTelemetry's SDK. It registers nothing global, neither a provider nor a context manager:
 * this object keeps the span of a request, so that two services in one process do not interfere.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracingConfig, TracingSampler } from '../config/tracing.ts'
import type { Log } from './log.ts'
import type { Attributes, RequestSpan, RequestStart, Tracing } from './tracing.ts'

/** How long sending can take at the end, in milliseconds. Stopping the service can take this much longer. */
const CLOSE_PATIENCE_MS = 3_000
/** The time between two warnings about a collector that does not answer, in milliseconds. */
const COMPLAINT_MS = 60_000

export function openTelemetry(config: TracingConfig, release: string, log: Log): Tracing {
  const { url, headers, serviceName, resource, sampler, encoding } = config
  const Exporter = encoding === 'json' ? JsonExporter : ProtobufExporter
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.version': release,
      'process.runtime.name': 'nodejs',
      'process.runtime.version': process.versions.node,
      ...resource,
      'service.name': serviceName,
    }),
    sampler: samplerOf(sampler),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: complaining(new Exporter({ url, headers: { ...headers } }), log) }),
    ],
  })
  const tracer = provider.getTracer('ratafia', release)
  const propagator = new W3CTraceContextPropagator()
  const current = new AsyncLocalStorage<Context>()

  return {
    request: ({ method, route, headers: carrier }: RequestStart): RequestSpan => {
      const parent = propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter)
      const span = tracer.startSpan(
        route === undefined ? method : `${method} ${route}`,
        {
          kind: SpanKind.SERVER,
          attributes: {
            'http.request.method': method,
            ...(route === undefined ? {} : { 'http.route': route }),
          },
        },
        parent,
      )
      const context = trace.setSpan(parent, span)
      return {
        traceId: span.isRecording() ? span.spanContext().traceId : undefined,
        within: (go) => current.run(context, go),
        end: ({ status, refusal }) => {
          span.setAttribute('http.response.status_code', status)
          if (refusal !== undefined) span.setAttribute('ratafia.refusal', refusal)
          // A refusal is an answer; only our own failures are errors (HTTP conventions, server spans).
          if (status >= 500)
            span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },

    span: async <T>(
      name: string,
      kind: 'client' | 'internal',
      attributes: () => Attributes,
      work: () => Promise<T>,
    ): Promise<T> => {
      const parent = current.getStore()
      const around = parent && trace.getSpan(parent)
      if (!parent || !around?.isRecording()) return work()
      const span = tracer.startSpan(
        name,
        { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: attributes() },
        parent,
      )
      try {
        return await current.run(trace.setSpan(parent, span), work)
      } catch (error) {
        // Records only the class, because drivers' messages may repeat their input.
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },

    close: async () => {
      const patience = Promise.withResolvers<void>()
      const timer = setTimeout(patience.resolve, CLOSE_PATIENCE_MS)
      await Promise.race([provider.shutdown().catch(() => {}), patience.promise])
      clearTimeout(timer)
    },
  }
}

function samplerOf({ ratio, parentBased }: TracingSampler): Sampler {
  const root = ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio)
  return parentBased ? new ParentBasedSampler({ root }) : root
}

/** Drops spans if the collector does not answer, and warns the operator. Requests must not fail because of this. */
function complaining(exporter: SpanExporter, log: Log): SpanExporter {
  let complained = Number.NEGATIVE_INFINITY
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - complained > COMPLAINT_MS) {
          complained = performance.now()
          log.warn({ reason: result.error.message }, 'traces could not be sent')
        }
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush ? { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() } : {}),
  }
}
