/**
 * The metrics of several worker processes, as one text. Each worker has its own series, under the label `worker`: a
 * number that its replacement inherits. In a sum, counters would fall when a worker is replaced; Prometheus would take
 * that for a restart of all workers, and the rest of the sum for a burst.
 */
import { AggregatorRegistry, Gauge, Registry } from 'prom-client'
import type { MetricsSource } from './metrics-server.ts'

/** The metrics of one worker: plain data, for a message between processes. */
export type WorkerMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** `ask` returns the metrics of each worker, by its place; undefined for one that does not answer. */
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

/** The labels differ, so `aggregate` adds nothing up: every series stays as it is. */
const labelled = (metrics: WorkerMetrics, worker: string): WorkerMetrics =>
  metrics.map((metric) => ({
    ...metric,
    aggregator: 'sum',
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } })),
  }))
