/** What is refused before there is a request for the application: answered in the same form as every other error. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { API_VERSION, type ErrorCode } from '@ratafia/api'
import { errorBody } from './errors/translate.ts'

/** Request line and headers together, in bytes: macaroons travel in headers. */
export const HEADER_LIMIT = 64 * 1024

/** For a client to hear why its connection ends, in milliseconds. */
const HEARING_MS = 5_000

const HOST = /^host$/i

interface ParserRefusal {
  readonly status: string
  readonly code: ErrorCode
  readonly message: string
}

const NOT_HTTP: ParserRefusal = {
  status: '400 Bad Request',
  code: 'invalid-request',
  message: 'The request is not HTTP as RFC 9112 has it.',
}

/** By the code of the parser's error. */
const REFUSALS: ReadonlyMap<string, ParserRefusal> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    {
      status: '431 Request Header Fields Too Large',
      code: 'headers-too-large',
      message: 'The request line and headers are larger than 64 KiB, or there are more than 1,000 headers.',
    },
  ],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    {
      status: '413 Content Too Large',
      code: 'request-too-large',
      message: 'The extensions of the chunks of the body are larger than 16 KiB.',
    },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    {
      status: '408 Request Timeout',
      code: 'invalid-request',
      message: 'The request did not arrive in time.',
    },
  ],
  [
    'CONNECT',
    {
      status: '405 Method Not Allowed',
      code: 'method-not-allowed',
      message: 'This service is no proxy: it takes no CONNECT.',
    },
  ],
])

/** Of whose requests one was refused: what comes after it is read by nobody. */
const refused = new WeakSet<Socket>()

/**
 * What Node's parser refuses. Returns the code it is answered with, or undefined when nobody is there any more, or it was
 * answered before. `unanswered`: the requests of this connection without an answer, in their order.
 */
export function answerParserError(
  error: Error & { code?: string },
  socket: Socket,
  unanswered: Iterable<ServerResponse> = [],
): ErrorCode | undefined {
  // The parser says it again for all that comes later.
  if (refused.has(socket)) return undefined
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return undefined
  }
  refused.add(socket)
  const refusal = REFUSALS.get(error.code ?? '') ?? NOT_HTTP
  // Answers have the order of their requests: this one would be taken for that of a request before it.
  const before = [...unanswered].filter(({ req }) => req.complete)
  const begun = [...unanswered].some(({ req, headersSent }) => !req.complete && headersSent)
  const write = () => {
    if (!socket.writable || begun) socket.destroy()
    else end(socket, refusal)
  }
  if (before.length === 0) write()
  else void Promise.all(before.map((response) => once(response, 'close'))).then(write)
  return refusal.code
}

/** `CONNECT`, after which Node takes its hands off the connection: of its end nobody would hear any more. */
export function refuseConnect(server: Server, socket: Socket, unanswered: Iterable<ServerResponse>): void {
  socket.on('error', () => socket.destroy()).resume()
  socket.once('end', () => socket.destroy())
  socket.once('close', () => {
    for (const response of unanswered) if (!response.closed) response.emit('close')
  })
  const error = Object.assign(new Error('CONNECT'), { code: 'CONNECT' })
  // As the parser's own, to whoever counts and answers these.
  if (!server.emit('clientError', error, socket)) socket.destroy()
}

function end(socket: Socket, { status, code, message }: ParserRefusal): void {
  const body = JSON.stringify(errorBody({ code, message, extra: {} }))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Snap-Store-Version: ${API_VERSION}\r\nConnection: close\r\n\r\n${body}`,
  )
  // A client that does not end its side would keep the connection for ever.
  setTimeout(() => socket.destroy(), HEARING_MS).unref()
}

/** HTTP/1.1 wants one `Host` in every request (RFC 9112, 3.2). True: there was none or more, and that is answered. */
export function refuseByHost(request: IncomingMessage, response: ServerResponse): boolean {
  const hosts = request.rawHeaders.filter((text, at) => at % 2 === 0 && HOST.test(text)).length
  if (hosts === 1 || (hosts === 0 && request.httpVersion !== '1.1')) return false
  const message =
    hosts === 0
      ? 'The request has no Host header, which HTTP/1.1 requires.'
      : 'The request has more than one Host header.'
  const body = JSON.stringify(errorBody({ code: 'invalid-request', message, extra: {} }))
  response.writeHead(400, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'snap-store-version': String(API_VERSION),
    connection: 'close',
  })
  response.end(body)
  return true
}
