/** Sends a request over a connection that is open, and waits until the headers of its answer are there. */
import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import { request } from '../../node-http.ts'

interface Sent extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly url: URL
  readonly signal: AbortSignal
  readonly body?: string
}

/** The answer, whatever its status; its body is not read. Rejects as `node:http` does. The caller destroys the socket. */
export const answerOver = (
  socket: Duplex,
  { url: { host, pathname, search }, method = 'GET', headers, signal, body }: Sent,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request({
      ...{ method, path: `${pathname}${search}`, headers: { host, ...headers } },
      createConnection: () => socket,
      signal,
    })
      .on('response', resolve)
      // Status 101. Without a listener the connection is closed, and neither an answer nor an error follows.
      .on('upgrade', resolve)
      .on('error', reject)
      .end(body)
  })
