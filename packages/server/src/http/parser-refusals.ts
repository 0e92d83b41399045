/** Answers requests that Node's parser refuses, which never reach the application. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '@ratafia/api'
import { endWithRefusal, writeRefusal } from './errors/answer.ts'
import { type Refusal, refusal } from './errors/refusal.ts'
import { parserRefusal } from './errors/translate.ts'

/** The bytes of request line and headers together: macaroons are sent in headers. */
export const HEADER_LIMIT = 64 * 1024

/** How long a client can take to read why its connection is closed, in milliseconds. */
const HEARING_MS = 5_000

/** Sockets with a refused request: nothing more is read from them. */
const refused = new WeakSet<Socket>()

/**
 * Returns the code of the answer, or undefined if the client is gone or already has its answer. `unanswered`:
 * the connection's unanswered requests, in order.
 */
export function answerParserError(
  error: Error & { code?: string },
  socket: Socket,
  unanswered: Iterable<ServerResponse> = [],
): ErrorCode | undefined {
  // The parser repeats its error for everything that arrives later.
  if (refused.has(socket)) return undefined
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return undefined
  }
  refused.add(socket)
  const answer = parserRefusal(error)
  // Answers come in the order of their requests: if sent now, this one would be taken for an earlier request's answer.
  const before = [...unanswered].filter(({ req }) => req.complete)
  const begun = [...unanswered].some(({ req, headersSent }) => !req.complete && headersSent)
  const write = () => {
    if (!socket.writable || begun) socket.destroy()
    else end(socket, answer)
  }
  if (before.length === 0) write()
  else void Promise.all(before.map((response) => once(response, 'close'))).then(write)
  return answer.code
}

/** Node stops watching a connection after a `CONNECT`, so we must notice when it closes. */
export function refuseConnect(server: Server, socket: Socket, unanswered: Iterable<ServerResponse>): void {
  socket.on('error', () => socket.destroy()).resume()
  socket.once('end', () => socket.destroy())
  socket.once('close', () => {
    for (const response of unanswered) if (!response.closed) response.emit('close')
  })
  const error = Object.assign(new Error('CONNECT'), { code: 'CONNECT' })
  // Emitted to the handler that counts and answers the parser's errors.
  if (!server.emit('clientError', error, socket)) socket.destroy()
}

/**
 * Answers a request in plain HTTP on a port with TLS. `socket` is the connection itself, which Node closes right after
 * the failed handshake: an answer of this size is sent at once.
 */
export function refusePlainHttp(socket: Socket | undefined): void {
  if (socket?.writable) endWithRefusal(socket, PLAIN_HTTP)
}

const PLAIN_HTTP = refusal(
  'invalid-request',
  'This port serves only https. Use an address that begins with https://.',
  {
    close: true,
  },
)

function end(socket: Socket, answer: Refusal): void {
  endWithRefusal(socket, answer)
  // A client that does not close its side would keep the connection open forever.
  setTimeout(() => socket.destroy(), HEARING_MS).unref()
}

/** `rawHeaders` alternates names and values. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** Refuses what Node's parser accepts although RFC 9112 does not. Returns whether it refused the request. */
export function refuseByHeaders(request: IncomingMessage, response: ServerResponse): boolean {
  const message = hostProblem(request) ?? transferProblem(request)
  if (message === undefined) return false
  writeRefusal(response, refusal('invalid-request', message, { close: true }))
  return true
}

/** HTTP/1.1 requires exactly one `Host` in every request (RFC 9112, 3.2). */
function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const hosts = countHosts(rawHeaders)
  if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return undefined
  return hosts === 0
    ? 'The request has no Host header, which HTTP/1.1 requires.'
    : 'The request has more than one Host header.'
}

/**
 * A body in an undecoded transfer coding would be read as something else, and a proxy may disagree with us
 * about where such a body ends (RFC 9112, 6.1).
 */
function transferProblem({ headers, httpVersion }: IncomingMessage): string | undefined {
  // Node joins repeated headers with commas.
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersion !== '1.1')
    return 'The request has a Transfer-Encoding header, which HTTP/1.0 does not have.'
  if (coding.toLowerCase() === 'chunked') return undefined
  return 'The Transfer-Encoding header is not "chunked", the only transfer coding this service reads. Send the body with a Content-Length or in chunks.'
}
