/** The HTTP application without features: limits, headers, errors, bodies. `start/` adds the features. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { API_VERSION } from '@ratafia/api'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from 'fastify'
import { RequestError, TooManyRequests } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { isAsInRoute, lacksParameter, nearlyRight } from './addresses/one-address.ts'
import { refuseUnknownParameters } from './addresses/query-names.ts'
import { ignoreBadTypes } from './bodies/body-headers.ts'
import { refuseEncodedBodies } from './bodies/encoded-body.ts'
import { BODY_LIMIT } from './bodies/json-body.ts'
import { addClients, type Clients } from './client.ts'
import { answerError } from './errors/answer.ts'
import { observeRequests } from './observe.ts'
import { answerParserError, HEADER_LIMIT } from './parser-refusals.ts'
import { schemaCompilers } from './schema-compilers.ts'

export interface AppOptions {
  readonly log: Log
  /** If it has a path, routes do not include that path. */
  readonly baseUrl: string
  readonly clients: Clients
  readonly telemetry: Telemetry
  /** Whether each request gets a line in the log. */
  readonly accessLog: boolean
  /** Returns the server that passes its requests to the listener. */
  readonly serve: (listener: RequestListener) => Server
  /** Returns the incomplete answers of a connection, in order. */
  readonly unanswered?: (socket: Socket) => Iterable<ServerResponse>
  /** Called for a request that waits for a person or another service, and so does not count as work. */
  readonly hold?: (response: ServerResponse) => void
  /** Returns false for a request that did not find a free place when its body had arrived. */
  readonly admitted?: (response: ServerResponse) => boolean
}

declare module 'fastify' {
  interface FastifyReply {
    /** Marks the request as waiting for a person or another service. The caller limits how many wait. */
    hold(): void
  }
}

export function createApp(options: AppOptions): FastifyInstance {
  const { log, baseUrl, clients, telemetry, accessLog, serve, unanswered } = options
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    // `observe.ts` writes our own line for each request.
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (listener) => serve(listener),
    genReqId: requestIds(clients),
    clientErrorHandler: (error, socket) => {
      const code = answerParserError(error, socket, unanswered?.(socket))
      if (code === undefined) return
      telemetry.metrics.refusedEarly(code)
      log.debug({ refusal: code }, 'refused by the HTTP parser')
    },
    // A path that is not percent-encoded UTF-8 is refused before routing, so no hooks of a route run.
    frameworkErrors: (error, request, reply) => {
      observe(request, reply)
      commonHeaders(reply)
      answerError(error, request, reply)
    },
    rewriteUrl: rewriter(pathOf(baseUrl)),
    bodyLimit: BODY_LIMIT,
    // A path segment can be as long as all headers: the code that reads it has its own limit.
    routerOptions: { maxParamLength: HEADER_LIMIT },
    schemaController: { compilersFactory: schemaCompilers },
    // While closing, still answer what arrives on an open connection; the connection is closed with the answer.
    return503OnClosing: false,
  })
  const { hold = () => {}, admitted = () => true } = options
  app.decorateReply('hold', function () {
    hold(this.raw)
  })
  app.decorateRequest('presentedDigest', '')
  app.decorateRequest('resultBeforeBody', undefined)
  addClients(app, clients)
  app.addHook('preValidation', (_request, { raw }, done) => {
    done(admitted(raw) ? undefined : new TooManyRequests(1_000, { asBusy: true }))
  })
  const observe = observeRequests(app, { telemetry, clients, accessLog })
  app.setErrorHandler(answerError)
  // For a path that does not exist, the answer is 404 regardless of the body.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setNotFoundHandler((request, reply) => answerNotFound(app, request, reply))
  // Runs before Fastify checks the Content-Type, whose absence it refuses for some methods.
  app.addHook('onRequest', (request, reply, done) => {
    commonHeaders(reply)
    if (request.is404) answerNotFound(app, request, reply)
    else if (isAsInRoute(request)) done()
    else answerError(nothingAt(request), request, reply)
  })
  refuseUnknownParameters(app)
  refuseEncodedBodies(app)
  ignoreBadTypes(app)
  // Bakery clients compare the type as a string, and silently do nothing if it has a charset.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.getHeader('content-type') === FASTIFYS_JSON) reply.header('content-type', 'application/json')
    sendTogether(() => done(null, payload))
  })
  return app
}

const FASTIFYS_JSON = 'application/json; charset=utf-8'
const VERSION = String(API_VERSION)

function commonHeaders(reply: FastifyReply): void {
  reply.header('snap-store-version', VERSION)
  reply.header('x-content-type-options', 'nosniff')
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

function answerNotFound(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
  const path = request.url.split('?', 1)[0] ?? ''
  const allowed = METHODS.filter((method) => {
    const route = app.findRoute({ url: path, method })
    return route !== null && !lacksParameter(route.params)
  })
  const error =
    allowed.length === 0
      ? nothingAt(request)
      : new RequestError(
          'method-not-allowed',
          `This path does not support ${request.method}. It supports ${allowed.join(', ')}.`,
          { extra: { allowed } },
        )
  answerError(error, request, reply)
}

const nothingAt = ({ url }: FastifyRequest): RequestError =>
  new RequestError(
    'not-found',
    `There is nothing at this path. ${nearlyRight(url.split('?', 1)[0] ?? '') ?? 'GET / lists what there is.'}`,
  )

/** Returns the path of a base URL, without a trailing slash. */
export const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '')

/** Handles a base URL such as `https://example.com/store`, whether or not a proxy strips `/store`. */
function rewriter(prefix: string): (request: { readonly url?: string | undefined }) => string {
  return ({ url = '/' }) => {
    if (prefix === '' || !url.startsWith(prefix)) return withOneSlash(url)
    const rest = url.slice(prefix.length)
    if (rest.startsWith('/')) return withOneSlash(rest)
    return rest === '' || rest.startsWith('?') ? `/${rest}` : url
  }
}

/**
 * Clients such as craft-store append a path to the address they were given, which may end with a slash. Where
 * a proxy may block access, two slashes stay: that is a different path.
 */
const withOneSlash = (url: string): string =>
  /^\/{2,}(?!\/|(?:api\/management|console)(?:[/?]|$))/.test(url) ? url.replace(/^\/+/, '/') : url

/**
 * Returns an id that is unique across nodes and restarts, or the `X-Request-Id` of a trusted proxy, whose own
 * log also has it. No other client can choose ids, because two requests with the same id would be mixed up.
 */
function requestIds(clients: Clients): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  return (request) => {
    const given = request.headers['x-request-id']
    const isId = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given)
    return isId && clients(request).byTrustedProxy ? given : randomUUID()
  }
}

/**
 * Answers created in the same turn of the event loop are sent at its end, one right after the other, so that
 * a waiting client or proxy wakes once for all of them. Waking it for each costs a fifth of a short request.
 */

let waiting: (() => void)[] = []

/** `send` builds and sends an answer. */
function sendTogether(send: () => void): void {
  if (waiting.push(send) === 1) setImmediate(sendAll)
}

function sendAll(): void {
  const answers = waiting
  waiting = []
  for (const send of answers) {
    try {
      send()
    } catch (error) {
      // A bug, which ends the process, but only after the other answers are sent.
      process.nextTick(() => {
        throw error
      })
    }
  }
}
