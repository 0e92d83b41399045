/**
 * Counts the statements of requests, so that new ones are noticed. Requests are repeated, and the one with the fewest
 * statements counts: on a slow machine, change notifications may be late, and then a node reads more from the database.
 */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Fresh } from './databases.ts'
import { eventually } from './eventually.ts'
import { type ObservedService, observedServices, scrape } from './observed.ts'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from './otlp-receiver.ts'

export const TIMES = 8

/** Returns the statements of the cheapest request with this name (`POST /path`) and, if it is given, this status. */
export type StatementsOf = (name: string, status?: number) => readonly string[]

/** Returns a function that counts during `work`, which sends each request at least {@link TIMES} times. */
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
    // A node caches nothing until it receives change notifications.
    await hearsOfChanges(service)
    const already = receiver.spans.length
    // Closing the service sends the remaining spans.
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

/** Waits until this node receives change notifications, and may therefore use its cache. */
export async function hearsOfChanges({ metricsUrl }: ObservedService): Promise<void> {
  await eventually('the node receives change notifications', async () =>
    (await scrape(metricsUrl)).get('ratafia_cache_usable'),
  )
}

const STATUS = 'http.response.status_code'

/** Whether a span is a statement. Look-ups of root keys and key pairs do not count: one request a second does them. */
const isStatement = ({ attributes, name }: ReceivedSpan): boolean =>
  attributes['db.system.name'] !== undefined && name !== 'select root_key' && name !== 'select key_pair'
