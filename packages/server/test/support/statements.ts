/**
 * Counts the statements of requests, so that none creeps in. Requests are repeated, and the cheapest counts: on a slow
 * machine a node may not know that it has heard of every change, and then it asks the database for more.
 */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Fresh } from './databases.ts'
import { eventually } from './eventually.ts'
import { type ObservedService, observedServices, scrape } from './observed.ts'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from './otlp-receiver.ts'

export const TIMES = 8

/** The statements of the cheapest request with this name (`POST /path`), or of those that had this answer. */
export type StatementsOf = (name: string, status?: number) => readonly string[]

/** Counts while a service does `work`, which makes each request at least {@link TIMES} times. */
export function statementCounts(
  fresh: Pick<Fresh, 'target'>,
): (work: (service: ObservedService) => Promise<unknown>) => Promise<StatementsOf> {
  let receiver: OtlpReceiver
  before(async () => {
    receiver = await otlpReceiver()
  })
  after(() => receiver.close())
  const observed = observedServices(fresh)

  return async (work) => {
    const service = await observed({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      RATAFIA_METRICS_PORT: '0',
    })
    // One that has just begun to listen remembers nothing yet.
    await hearsOfChanges(service)
    const already = receiver.spans.length
    // Closing sends the spans that are left.
    await work(service).finally(() => service.close())
    const spans = receiver.spans.slice(already)
    return (wanted, status) => {
      const requests = spans.filter(
        ({ name, attributes }) => name === wanted && (status ?? attributes[STATUS]) === attributes[STATUS],
      )
      assert.ok(requests.length >= TIMES, `${wanted} was sent ${requests.length} times`)
      const counts = requests.map(({ traceId }) =>
        spans.filter((span) => span.traceId === traceId && isStatement(span)),
      )
      const [cheapest = []] = counts.sort((a, b) => a.length - b.length)
      return cheapest.map(({ name }) => name).sort()
    }
  }
}

/** Waits until this node hears of changes, and so may answer from its memory. */
export async function hearsOfChanges({ metricsUrl }: ObservedService): Promise<void> {
  await eventually('a node that hears of changes', async () =>
    (await scrape(metricsUrl)).get('ratafia_cache_usable'),
  )
}

const STATUS = 'http.response.status_code'

/** Once a second a request looks for new root keys and key pairs. */
const isStatement = ({ attributes, name }: ReceivedSpan): boolean =>
  attributes['db.system.name'] !== undefined && name !== 'select root_key' && name !== 'select key_pair'
