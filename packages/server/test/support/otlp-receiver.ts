/** An OpenTelemetry collector in this process. It accepts OTLP over HTTP, and keeps what it receives. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number
  readonly status: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

export interface OtlpReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** All requests so far. */
  readonly requests: readonly {
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: Buffer
  }[]
  readonly resource: Readonly<Record<string, string | number | boolean>>
  close(): Promise<void>
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: string | number
  readonly boolValue?: boolean
}
type Attributes = readonly { readonly key: string; readonly value: Value }[]

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'status'> & {
        readonly attributes: Attributes
        readonly status?: { readonly code?: number }
      })[]
    }[]
  }[]
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  let resource: ReceivedSpan['attributes'] = {}
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    const body = await buffer(request)
    requests.push({ path, headers, body })
    if (headers['content-type'] === 'application/json') {
      const { resourceSpans } = JSON.parse(body.toString()) as Exported
      for (const one of resourceSpans) {
        resource = valuesOf(one.resource.attributes)
        for (const span of one.scopeSpans.flatMap((scope) => scope.spans)) {
          const { attributes, status, parentSpanId, ...rest } = span
          spans.push({
            ...rest,
            parentSpanId: parentSpanId || undefined,
            attributes: valuesOf(attributes),
            status: status?.code ?? 0,
          })
        }
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    get resource() {
      return resource
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const valuesOf = (attributes: Attributes): ReceivedSpan['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]),
  )
