/** Creates the metrics and traces of a running service. Commands don't load prom-client and OpenTelemetry. */
import type { TracingConfig } from '../config/tracing.ts'
import type { Log } from './log.ts'
import type { Telemetry } from './telemetry.ts'
import { NO_TRACING } from './tracing.ts'

export interface TelemetryOptions {
  readonly release: string
  readonly log: Log
  /** Whether this service serves its metrics. */
  readonly metrics: boolean
  /** The settings for traces; undefined if there are none. */
  readonly tracing: TracingConfig | undefined
}

export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { release, log, metrics, tracing } = options
  const { createMetrics } = await import('./metrics.ts')
  return {
    metrics: createMetrics({ release, ofProcess: metrics }),
    tracing: tracing
      ? (await import('./open-telemetry.ts')).openTelemetry(tracing, release, log)
      : NO_TRACING,
  }
}
