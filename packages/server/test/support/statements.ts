/**
 * Counts the statements of requests. They are repeated, and the cheapest counts: on a slow machine a node may not know
 * that it has heard of every change, and then it asks the database for more.
 */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Fresh } from './databases.ts'
import { observedServices } from './observed.ts'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from './otlp-receiver.ts'
import type { TestService } from './service.ts'

/** The statements of the cheapest of at least `times` requests to a path while a service does `work`. */
export function countingStatements(
  fresh: Pick<Fresh, 'target'>,
  times: number,
): (path: string, work: (service: TestService) => Promise<unknown>) => Promise<readonly string[]> {
  let receiver: OtlpReceiver
  before(async () => {
    receiver = await otlpReceiver()
  })
  after(() => receiver.close())
  const observed = observedServices(fresh)
  return async (path, work) => {
    const service = await observed({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    })
    const already = receiver.spans.length
    // Closing sends the spans that are left.
    await work(service).finally(() => service.close())
    const spans = receiver.spans.slice(already)
    const requests = spans.filter(({ name }) => name === `POST ${path}`)
    assert.ok(requests.length >= times)
    const counts = requests.map(({ traceId }) =>
      spans.filter((span) => span.traceId === traceId && isStatement(span)),
    )
    const [cheapest = []] = counts.sort((a, b) => a.length - b.length)
    return cheapest.map(({ name }) => name).sort()
  }
}

/** Once a second a request looks for new root keys. */
const isStatement = ({ attributes, name }: ReceivedSpan): boolean =>
  attributes['db.system.name'] !== undefined && name !== 'select root_key'
