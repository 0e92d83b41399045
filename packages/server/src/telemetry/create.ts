/** Makes what a running service tells of itself, by its configuration. */
import type { TracingConfig } from '../config/tracing.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import type { Telemetry } from './telemetry.ts'
import { NO_TRACING } from './tracing.ts'

export interface TelemetryOptions {
  readonly release: string
  readonly log: Log
  /** Whether somebody reads the metrics. */
  readonly metrics: boolean
  /** Undefined = no traces. */
  readonly tracing: TracingConfig | undefined
}

export async function createTelemetry({
  release,
  log,
  metrics,
  tracing,
}: TelemetryOptions): Promise<Telemetry> {
  return {
    metrics: createMetrics({ release, ofProcess: metrics }),
    tracing: tracing
      ? (await import('./open-telemetry.ts')).openTelemetry(tracing, release, log)
      : NO_TRACING,
  }
}
