/** `/metrics` on a port of its own: what the operator sees is nothing for those who reach the service. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MetricsServer {
  /** `http://HOST:PORT/metrics`. */
  readonly url: string
  close(): Promise<void>
}

/** What is answered, as Prometheus reads it. */
export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}

/** Rejects with the system's error (`EADDRINUSE`, …) when the address cannot be had. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  { contentType, text }: MetricsText,
  onError: (error: unknown) => void,
): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (request, response) => {
    const [path] = (request.url ?? '').split('?', 1)
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is only GET /metrics here.\n')
      return
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': contentType }).end(body),
      (error: unknown) => {
        onError(error)
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
  // A listening TCP server has an address object; only pipes have a string.
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}/metrics`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
