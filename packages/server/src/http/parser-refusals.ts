/** What is refused before there is a request for the application: answered in the same form as every other error. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { API_VERSION, type ErrorCode } from '@ratafia/api'
import { errorBody } from './errors.ts'

/** Request line and headers together, in bytes: macaroons travel in headers. */
export const HEADER_LIMIT = 64 * 1024

/** For a client to hear why its connection ends, in milliseconds. */
const HEARING_MS = 5_000

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
      message: 'The request line and headers are larger than 64 KiB.',
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
])

/** What Node's parser refuses. Returns the code it was answered with, or undefined when nobody is there any more. */
export function answerParserError(error: Error & { code?: string }, socket: Socket): ErrorCode | undefined {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return undefined
  }
  const { status, code, message } = REFUSALS.get(error.code ?? '') ?? NOT_HTTP
  const body = JSON.stringify(errorBody({ code, message, extra: {} }))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Snap-Store-Version: ${API_VERSION}\r\nConnection: close\r\n\r\n${body}`,
  )
  // A client that does not end its side would keep the connection for ever.
  setTimeout(() => socket.destroy(), HEARING_MS).unref()
  return code
}

/** HTTP/1.1 wants `Host` in every request (RFC 9112, 3.2). True: it was missing, and that is answered. */
export function refuseWithoutHost(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return false
  const message = 'The request has no Host header, which HTTP/1.1 requires.'
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
