/** Serves `/metrics` on a separate port, because only operators may see it, not the clients of the service. */
import type { AddressInfo } from 'node:net'
import { createServer } from '../node-http.ts'
import type { Log } from './log.ts'

export interface MetricsServer {
  /** `http://HOST:PORT/metrics`. */
  readonly url: string
  close(): Promise<void>
}

/** The text that Prometheus reads, from one registry or from several combined. */
export interface MetricsSource {
  readonly contentType: string
  metrics(): Promise<string>
}

/** Rejects with the system's error (`EADDRINUSE`, …) if the address is not available. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  source: MetricsSource,
  log: Log,
): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (request, response) => {
    const [path] = (request.url ?? '').split('?', 1)
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Only GET /metrics exists here.\n')
      return
    }
    source.metrics().then(
      (body) => response.writeHead(200, { 'content-type': source.contentType }).end(body),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics could not be collected')
        response.writeHead(503, { 'content-type': 'text/plain' }).end('The metrics could not be collected.\n')
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // The cast is safe: the address of a TCP server is an object; only pipes have a string.
  const { port: actual } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actual}/metrics`
  log.info({ url }, 'serving metrics')
  return {
    url,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
