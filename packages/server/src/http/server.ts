/**
 * The listening socket. It is opened before the application is built, because with port 0 the address, which
 * goes into macaroons, is only known then; requests that arrive meanwhile wait for the application.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParserError, HEADER_LIMIT } from './app.ts'

export interface ListeningServer {
  readonly server: Server
  /** `http://HOST:PORT` of the socket. */
  readonly origin: string
  /** Gives the requests to the application. */
  serve(listener: RequestListener): Server
  /** From now on the application answers, those that waited first. */
  open(): void
  /** Takes no new connections; resolves when those in flight have ended. */
  close(): Promise<void>
}

/** Rejects with the system's error (`EADDRINUSE`, `EACCES`, …) when the address cannot be had. */
export async function listen(host: string, port: number): Promise<ListeningServer> {
  const ready = Promise.withResolvers<RequestListener>()
  let handle: RequestListener | undefined
  let pending: RequestListener | undefined
  const server = createServer(
    { maxHeaderSize: HEADER_LIMIT, headersTimeout: 20_000, requestTimeout: 60_000, keepAliveTimeout: 72_000 },
    (request, response) => {
      if (handle) handle(request, response)
      else void ready.promise.then((listener) => listener(request, response))
    },
  )
  server.on('clientError', answerParserError)
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
    server,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    serve: (listener) => {
      pending = listener
      return server
    },
    open: () => {
      if (!pending) throw new TypeError('open() needs the application: call serve() first')
      handle = pending
      ready.resolve(pending)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}
