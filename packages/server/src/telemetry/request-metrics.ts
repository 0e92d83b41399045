/**
 * Counts requests and their durations by route. Each request adds to a few numbers, which prom-client gets for each
 * scrape. Its own counters look up their series by all labels each time, which takes 1.5 µs, a twentieth of a short
 * request.
 */
import { Counter, type Metric, type Registry } from 'prom-client'

/** The buckets in seconds, from a cached verification to the longest that a client waits. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** The requests with one method and route. */
interface Series {
  readonly labels: { readonly method: string; readonly route: string }
  readonly byStatus: Map<number, number>
  /** The number of requests up to each bound, and above the previous bound. */
  readonly buckets: number[]
  seconds: number
  requests: number
}

export interface RequestMetrics {
  add(request: {
    readonly method: string
    readonly route: string
    readonly status: number
    readonly seconds: number
  }): void
}

export function requestMetrics(registry: Registry): RequestMetrics {
  /** Series by route, then by method. */
  const known = new Map<string, Map<string, Series>>()
  const all = () => [...known.values()].flatMap((methods) => [...methods.values()])
  const seriesOf = (method: string, route: string): Series => {
    const methods = known.get(route) ?? new Map<string, Series>()
    known.set(route, methods)
    const series: Series = {
      ...{ labels: { method, route }, byStatus: new Map(), seconds: 0, requests: 0 },
      buckets: BOUNDS.map(() => 0),
    }
    methods.set(method, series)
    return series
  }

  new Counter({
    name: 'ratafia_http_requests_total',
    help: 'Requests, by route pattern and status; 499: the client disconnected before the answer',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels, byStatus } of all()) {
        for (const [status, requests] of byStatus) this.inc({ ...labels, status }, requests)
      }
    },
  })
  // The cast is safe: the registry only reads metrics, although the type also has methods for observations.
  registry.registerMetric(new Durations(all) as unknown as Metric)
  return {
    add: ({ method, route, status, seconds }) => {
      const series = known.get(route)?.get(method) ?? seriesOf(method, route)
      series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1)
      series.requests += 1
      series.seconds += seconds
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
    },
  }
}

/** The part of a metric that the registry reads. prom-client's own histogram only accepts single observations. */
class Durations {
  readonly name = 'ratafia_http_request_duration_seconds'
  readonly help = 'The time from the arrival of a request to the end of its answer'
  readonly type = 'histogram'
  readonly labelNames = ['method', 'route']
  readonly aggregator = 'sum'
  readonly #series: () => readonly Series[]

  constructor(series: () => readonly Series[]) {
    this.#series = series
  }

  async get() {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values: this.#series().flatMap((one) => this.#valuesOf(one)) }
  }

  #valuesOf({ labels, buckets, seconds, requests }: Series) {
    let upTo = 0
    const bounded = BOUNDS.map((le, at) => {
      upTo += buckets[at] ?? 0
      return { labels: { ...labels, le }, value: upTo, metricName: `${this.name}_bucket` }
    })
    return [
      ...bounded,
      { labels: { ...labels, le: '+Inf' }, value: requests, metricName: `${this.name}_bucket` },
      { labels, value: seconds, metricName: `${this.name}_sum` },
      { labels, value: requests, metricName: `${this.name}_count` },
    ]
  }
}
