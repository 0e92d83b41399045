/**
 * Combines the metrics of several worker processes into one string. Each worker has its own series, with the
 * label `worker`, a number that its replacement inherits. A sum of counters would fall when a worker is
 * replaced; Prometheus would take that for a restart of all workers, and the remaining sum for a burst.
 *
 * prom-client can also combine registries, but the supervisor would load its 9 MB only for that.
 */
import type { MetricsSource } from './metrics-server.ts'

/** The metrics of a worker in the text format of Prometheus 0.0.4. Each series has the label `worker`. */
export type WorkerMetrics = string

/** `ask` returns the metrics of each worker by its place, from 1; undefined for a worker that does not answer. */
export function workerMetrics(ask: () => Promise<readonly (WorkerMetrics | undefined)[]>): MetricsSource {
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    metrics: async () => {
      const workers = await ask()
      const up = workers.map(
        (said, at) => `ratafia_worker_up{worker="${at + 1}"} ${said === undefined ? 0 : 1}`,
      )
      return together([...workers.flatMap((said) => said ?? []), [...UP, ...up].join('\n')])
    },
  }
}

const UP = [
  '# HELP ratafia_worker_up 1: the worker process answers its supervisor',
  '# TYPE ratafia_worker_up gauge',
]

/** Groups the series of each metric below its two lines that begin with #, as the format requires. */
function together(texts: readonly string[]): string {
  const groups = new Map<string, string[]>()
  // prom-client separates metrics with an empty line, and escapes line breaks inside a metric.
  for (const metric of texts.flatMap((text) => text.trimEnd().split('\n\n'))) {
    const [help, type, ...series] = metric.split('\n')
    const head = `${help}\n${type}`
    const group = groups.get(head) ?? [head]
    groups.set(head, group)
    for (const line of series) group.push(line)
  }
  return `${[...groups.values()].map((group) => group.join('\n')).join('\n\n')}\n`
}
