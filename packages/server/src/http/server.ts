/**
 * The listening socket. It opens before the application is built, because the address goes into macaroons
 * and, with port 0, is known only then. Requests that arrive meanwhile wait for the application.
 */
import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Server as SecureServer, ServerOptions as SecureServerOptions } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { createServer, nodeHttps } from '../node-http.ts'
import { secureContextOptions, type TlsPair } from '../tls/served-tls.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, Connections, tcpSocketOf } from './limits/connections.ts'
import { InFlight, type InFlightOptions } from './limits/in-flight.ts'
import { HEADER_LIMIT, refuseByHeaders, refuseConnect, refusePlainHttp } from './parser-refusals.ts'

export interface ListeningServer {
  readonly server: Server
  /** `http://HOST:PORT` of the socket, or `https://…` with TLS. */
  readonly origin: string
  /** Passes the requests to the application. */
  serve(listener: RequestListener): Server
  /** Lets the application answer, starting with the requests that waited. */
  open(): void
  /** Serves another certificate on new connections. Throws `TypeError` without TLS. */
  renew(pair: TlsPair): void
  readonly inFlight: InFlight
  /** The request waits for a person or another service: it stops counting, and no request can follow it. */
  hold(response: ServerResponse): void
  /** How many connections are open. */
  readonly connections: number
  /** All incomplete answers. */
  readonly answers: readonly ServerResponse[]
  /** Returns the incomplete answers of a connection, in order. */
  unanswered(socket: Socket): Iterable<ServerResponse>
  /** Makes every further answer close its connection, so that clients connect elsewhere. */
  leave(): void
  /**
   * Stops accepting connections; resolves when the requests in flight are answered. Cuts connections without
   * a request, and those that need longer than {@link CLOSE_PATIENCE_MS}.
   */
  close(): Promise<void>
}

/** Less than the 30 seconds that service managers wait before they kill. */
const CLOSE_PATIENCE_MS = 25_000

/** The wait for a request whose headers are still arriving. */
const HALF_REQUEST_MS = 1_000
/** The wait for a request that a client sends before it learns that this process is stopping. */
const LAST_REQUEST_MS = 200

/**
 * Serves https with the pair `tls`, or plain HTTP without one. Rejects with the system's error (`EADDRINUSE`, `EACCES`,
 * …) when the address is not available.
 */
export async function listen(
  host: string,
  port: number,
  inFlightLimits: InFlightOptions = { limit: Number.POSITIVE_INFINITY },
  connectionLimits: Partial<ConnectionLimits> = {},
  tls?: TlsPair,
): Promise<ListeningServer> {
  const ready = Promise.withResolvers<RequestListener>()
  const limits = { ...CONNECTION_LIMITS, ...connectionLimits }
  const connections = new Connections(limits)
  const inFlight = new InFlight(inFlightLimits)
  let leaving = false
  let handle: RequestListener | undefined
  let pending: RequestListener | undefined
  const take: RequestListener = (request, response) => {
    if (!connections.begin(request, response)) return
    if (leaving) response.setHeader('connection', 'close')
    if (refuseByHeaders(request, response) || !inFlight.enter(request, response)) return
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
    if (handle) handle(request, response)
    else void ready.promise.then((listener) => listener(request, response))
  }
  const options = {
    maxHeaderSize: HEADER_LIMIT,
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    keepAliveTimeout: limits.idle,
    connectionsCheckingInterval: limits.check,
    // `refuseByHeaders` does this instead, in the form of all refusals.
    requireHostHeader: false,
  }
  const secure = tls && secureServer({ ...options, handshakeTimeout: limits.headers }, tls, connections, take)
  const server: Server = secure ?? createServer(options, take)
  server.on('checkContinue', take)
  // Expectations other than 100-continue can be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', take)
  server.on('connect', ({ socket }) => refuseConnect(server, socket, connections.answersOf(socket)))
  server.on('connection', (socket) => connections.add(socket))
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
    origin: `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    serve: (listener) => {
      pending = listener
      return server
    },
    open: () => {
      if (!pending) throw new TypeError('open() needs the application: call serve() first')
      handle = pending
      ready.resolve(pending)
    },
    renew: (pair) => {
      if (!secure) throw new TypeError('renew() needs a server with TLS')
      secure.setSecureContext(secureContextOptions(pair))
    },
    inFlight,
    hold: (response) => {
      inFlight.hold(response)
      connections.hold(response)
    },
    get connections() {
      return connections.size
    },
    get answers() {
      return connections.answers
    },
    unanswered: (socket) => connections.answersOf(socket),
    leave: () => {
      leaving = true
      // Otherwise their connections would stay open for another request, which would get no answer.
      for (const response of connections.answers) endWith(response)
    },
    close: async () => {
      // Not the HTTP server's own `close`: it cuts connections that may have a request on its way to us.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
      // Requests that wait for an application that was never built get no answer.
      if (!handle) server.closeAllConnections()
      const timers = [
        setTimeout(() => server.closeIdleConnections(), LAST_REQUEST_MS),
        setTimeout(() => connections.cutIdle(), HALF_REQUEST_MS),
        setTimeout(() => server.closeAllConnections(), CLOSE_PATIENCE_MS),
      ]
      await closed
      for (const timer of timers) clearTimeout(timer)
      connections.close()
    },
  }
}

function secureServer(
  options: SecureServerOptions,
  pair: TlsPair,
  connections: Connections,
  take: RequestListener,
): SecureServer {
  const server = nodeHttps().createServer({ ...options, ...secureContextOptions(pair) }, take)
  server.on('secureConnection', (socket) => connections.decrypt(socket))
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_SSL_HTTP_REQUEST') refusePlainHttp(tcpSocketOf(socket))
  })
  return server
}

/** Closes the connection after this answer. */
function endWith(response: ServerResponse): void {
  if (response.headersSent) response.once('finish', () => response.req.socket.end())
  else response.setHeader('connection', 'close')
}
