/**
 * The metrics of several worker processes, as one text. Each worker keeps its own series, under the label `worker`, a
 * number that its replacement has too: in a sum counters would fall when a worker is replaced, and Prometheus takes
 * that for a restart of all, and what is left for a burst.
 */
import { AggregatorRegistry, Gauge, Registry } from 'prom-client'
import type { Metrics } from './metrics.ts'
import type { MetricsSource } from './metrics-server.ts'

/** What a worker says of itself; plain data, for a message between processes. */
export type WorkerMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export const ofThisWorker = ({ registry }: Metrics): Promise<WorkerMetrics> => registry.getMetricsAsJSON()

/** `ask` gives what each worker says, by its place; undefined for one that says nothing. */
export function workerMetrics(ask: () => Promise<readonly (WorkerMetrics | undefined)[]>): MetricsSource {
  return {
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    metrics: async () => {
      const workers = await ask()
      const registry = AggregatorRegistry.aggregate(
        workers.map((said, at) => labelled(said ?? [], String(at + 1))),
      )
      const up = new Gauge({
        name: 'ratafia_worker_up',
        help: '1: the worker process answers its supervisor',
        labelNames: ['worker'],
        registers: [registry],
      })
      for (const [at, said] of workers.entries()) up.set({ worker: String(at + 1) }, said ? 1 : 0)
      return registry.metrics()
    },
  }
}

/** With labels that differ, there is nothing to be added up: every series stays what it is. */
const labelled = (metrics: WorkerMetrics, worker: string): WorkerMetrics =>
  metrics.map((metric) => ({
    ...metric,
    aggregator: 'sum',
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } })),
  }))
