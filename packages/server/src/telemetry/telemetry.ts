/** Metrics and traces together, and the observers of the database and of signing. */
import { Unavailable } from '../errors.ts'
import type { Metrics } from './metrics.ts'
import { kindOf, tableOf } from './statement-kind.ts'
import type { Attributes, Tracing } from './tracing.ts'

export interface Telemetry {
  readonly metrics: Metrics
  readonly tracing: Tracing
}

/** Characters of a statement in a span. Longer ones only have more placeholders. */
const TEXT_LIMIT = 2_000

/** Wraps each statement and each wait for a connection. `system`: OpenTelemetry's name of the database. */
export function observeDatabase({ metrics, tracing }: Telemetry, system: 'sqlite' | 'postgresql') {
  return {
    acquire: async <T>(run: () => Promise<T>): Promise<T> => {
      const started = performance.now()
      try {
        const connection = await run()
        metrics.acquired('ok', since(started))
        return connection
      } catch (error) {
        metrics.acquired('unavailable', since(started))
        throw error
      }
    },

    statement: async <T>(text: string, run: () => Promise<T>): Promise<T> => {
      const kind = kindOf(text)
      const table = tableOf(text)
      const attributes = (): Attributes => ({
        'db.system.name': system,
        'db.operation.name': kind,
        'db.query.text': text.slice(0, TEXT_LIMIT),
        ...(table === undefined ? {} : { 'db.collection.name': table }),
      })
      const started = performance.now()
      try {
        const name = table === undefined ? kind : `${kind} ${table}`
        const result = await tracing.span(name, 'client', attributes, run)
        metrics.statement(kind, 'ok', since(started))
        return result
      } catch (error) {
        metrics.statement(kind, error instanceof Unavailable ? 'unavailable' : 'failed', since(started))
        throw error
      }
    },
  }
}

/** Wraps the signing of a serial. */
export function observeSigning({ metrics, tracing }: Telemetry) {
  return async <T>(sign: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    try {
      const result = await tracing.span('sign serial', 'internal', () => ({}), sign)
      metrics.signed('ok', since(started))
      return result
    } catch (error) {
      metrics.signed('failed', since(started))
      throw error
    }
  }
}

const since = (started: number): number => (performance.now() - started) / 1000
