/** Combines metrics and traces, and observes the database and signing. */
import type { TracingConfig } from '../config/tracing.ts'
import { Unavailable } from '../errors.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { type Attributes, NO_TRACING, type Tracing } from './tracing.ts'

export interface Telemetry {
  readonly metrics: Metrics
  readonly tracing: Tracing
}

/** More statements than the service has, because lists of values turn one into several. */
const DESCRIBED_TEXTS = 500
/** The maximum length of a statement in a span. Longer statements only have more placeholders. */
const TEXT_LIMIT = 2_000

/** Wraps each statement and each wait for a connection. `system` is OpenTelemetry's name for the database. */
export function observeDatabase({ metrics, tracing }: Telemetry, system: 'sqlite' | 'postgresql') {
  const described = new Map<string, Described>()
  const describe = (text: string): Described => {
    const known = described.get(text)
    if (known) return known
    // A statement with a long list of values, which rarely occurs again.
    if (text.length > TEXT_LIMIT) return describeStatement(text, system)
    if (described.size >= DESCRIBED_TEXTS) described.clear()
    const made = describeStatement(text, system)
    described.set(text, made)
    return made
  }
  return {
    acquire: <T>(run: () => Promise<T>): Promise<T> =>
      timed(run, (seconds, failed) => metrics.acquired(failed ? 'unavailable' : 'ok', seconds)),

    statement: <T>(text: string, run: () => Promise<T>): Promise<T> => {
      const { kind, name, attributes } = describe(text)
      return timed(
        () => tracing.span(name, 'client', attributes, run),
        (seconds, failed) => {
          const failure = failed?.error instanceof Unavailable ? 'unavailable' : 'failed'
          metrics.statement(kind, failed ? failure : 'ok', seconds)
        },
      )
    },
  }
}

/** The properties of a statement that are the same for each run. */
interface Described {
  readonly kind: string
  readonly name: string
  readonly attributes: () => Attributes
}

function describeStatement(text: string, system: string): Described {
  const kind = kindOf(text)
  const table = tableIn(text)
  return {
    kind,
    name: table === undefined ? kind : `${kind} ${table}`,
    attributes: () => ({
      'db.system.name': system,
      'db.operation.name': kind,
      'db.query.text': text.slice(0, TEXT_LIMIT),
      ...(table === undefined ? {} : { 'db.collection.name': table }),
    }),
  }
}

/** Wraps the signing of a serial. */
export function observeSigning({ metrics, tracing }: Telemetry) {
  return <T>(sign: () => Promise<T>): Promise<T> =>
    timed(
      () => tracing.span('sign serial', 'internal', () => ({}), sign),
      (seconds, failed) => metrics.signed(failed ? 'failed' : 'ok', seconds),
    )
}

/** Reports how long `work` took, and the error if it threw one. */
async function timed<T>(
  work: () => Promise<T>,
  report: (seconds: number, failed?: { readonly error: unknown }) => void,
): Promise<T> {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  try {
    const result = await work()
    report(seconds())
    return result
  } catch (error) {
    report(seconds(), { error })
    throw error
  }
}

interface TelemetryOptions {
  readonly release: string
  readonly log: Log
  /** Whether this service serves its metrics. */
  readonly metrics: boolean
  /** The settings for traces; undefined if there are none. */
  readonly tracing: TracingConfig | undefined
}

/** Creates the metrics and traces of a running service. Commands don't load prom-client and OpenTelemetry. */
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

const KINDS = ['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback']

/** Returns the first verb of a statement. Its text is safe to show, because values are placeholders. */
function kindOf(text: string): string {
  const [, word = ''] = /^(?:with [a-z]+ as \(\s*)?([a-z]+)/i.exec(text.slice(0, 64)) ?? []
  return KINDS.find((kind) => kind === word.toLowerCase()) ?? 'other'
}

/** Returns the first table that the statement names; undefined if it does not name one. */
const tableIn = (text: string): string | undefined =>
  /\b(?:from|into|update|join) "([a-z_]+)"/i.exec(text)?.[1]
