/** A proxy in front of the service that loses answers, or pretends that the service is busy. */
import { createServer } from 'node:http'
import { onLoopback } from '../../../packages/server/test/support/loopback.ts'

type Failure = 'lost' | 'busy'

export interface Unreliable {
  readonly url: string
  /** Fails the next exchanges in this order. If the answer is lost, the exchange itself has succeeded. */
  fail(...failures: readonly Failure[]): void
}

/** Starts a proxy to the service's address before the tests of the suite, and closes it afterwards. */
export function unreliable(to: () => string): Unreliable {
  const next: Failure[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const failure = next.shift()
    if (failure === 'busy') {
      response.writeHead(503).end('{"error": "temporarily_unavailable"}')
      return
    }
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(`${to()}${request.url}`, {
      method: request.method ?? '',
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
      body: Buffer.concat(chunks),
    })
    const text = await answer.text()
    if (failure === 'lost') request.socket.destroy()
    else response.writeHead(answer.status).end(text)
  })
  const loopback = onLoopback(server)
  return {
    get url() {
      return loopback.url
    },
    fail: (...failures) => void next.push(...failures),
  }
}
