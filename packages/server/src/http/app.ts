/** The HTTP application without any feature: limits, headers, errors, bodies. `start/` adds the features. */

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
import { ignoreBadTypes } from './bodies/content-type.ts'
import { refuseEncodedBodies } from './bodies/encoded-body.ts'
import { BODY_LIMIT } from './bodies/json-body.ts'
import { addClients, type Clients } from './client.ts'
import { answerError } from './errors/answer.ts'
import { observeRequests } from './observe.ts'
import { answerParserError, HEADER_LIMIT } from './parser-refusals.ts'
import { schemaCompilers } from './schema-compilers.ts'

export interface AppOptions {
  readonly log: Log
  /** Routes do not include its path, if it has one. */
  readonly baseUrl: string
  readonly clients: Clients
  readonly telemetry: Telemetry
  /** Whether each request has a line in the log. */
  readonly accessLog: boolean
  /** Returns the server that hands its requests to the listener. */
  readonly serve: (listener: RequestListener) => Server
  /** The answers of a connection that are not complete, in their order. */
  readonly unanswered?: (socket: Socket) => Iterable<ServerResponse>
  /** Called for a request that waits for people or for another service, and is not work. */
  readonly hold?: (response: ServerResponse) => void
  /** False for a request that found no place when its body had arrived. */
  readonly admitted?: (response: ServerResponse) => boolean
}

declare module 'fastify' {
  interface FastifyReply {
    /** From now on the request waits for a person or for another service. The caller bounds how many do. */
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
      log.debug({ refusal: code }, 'refused before it was a request')
    },
    // A path that is not percent-encoded UTF-8 is refused before it has a route, and so without the hooks of one.
    frameworkErrors: (error, request, reply) => {
      observe(request, reply)
      commonHeaders(reply)
      answerError(error, request, reply)
    },
    rewriteUrl: rewriter(pathOf(baseUrl)),
    bodyLimit: BODY_LIMIT,
    // A part of a path may be as long as all headers: the code that reads it has a limit of its own.
    routerOptions: { maxParamLength: HEADER_LIMIT },
    schemaController: { compilersFactory: schemaCompilers },
    // While closing, answer what still arrives on an open connection as usual; the connection ends with it.
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
  // A path that does not exist is a 404 whatever the body is.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setNotFoundHandler((request, reply) => answerNotFound(app, request, reply))
  // Before Fastify looks at the Content-Type, which it refuses to miss in some methods.
  app.addHook('onRequest', (request, reply, done) => {
    commonHeaders(reply)
    if (request.is404) answerNotFound(app, request, reply)
    else if (isAsInRoute(request)) done()
    else answerError(nothingAt(request), request, reply)
  })
  refuseUnknownParameters(app)
  refuseEncodedBodies(app)
  ignoreBadTypes(app)
  // Bakery clients compare the type as a string: with a charset they silently do nothing.
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

/** The path of a base URL, without a trailing slash. */
export const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '')

/** For a base URL such as `https://example.com/store`: works whether a proxy strips `/store` or not. */
function rewriter(prefix: string): (request: { readonly url?: string | undefined }) => string {
  return ({ url = '/' }) => {
    if (prefix === '' || !url.startsWith(prefix)) return withOneSlash(url)
    const rest = url.slice(prefix.length)
    if (rest.startsWith('/')) return withOneSlash(rest)
    return rest === '' || rest.startsWith('?') ? `/${rest}` : url
  }
}

/**
 * Clients such as craft-store add a path to the address they were given, whether that ends with a slash or not. For what a
 * proxy may withhold, two slashes are another path.
 */
const withOneSlash = (url: string): string =>
  /^\/{2,}(?!\/|(?:api\/management|console)(?:[/?]|$))/.test(url) ? url.replace(/^\/+/, '/') : url

/**
 * Unique across nodes and restarts, or the `X-Request-Id` of a trusted proxy, whose own log has it too. No other client
 * may choose ids: two requests with one id would be mixed up.
 */
function requestIds(clients: Clients): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  return (request) => {
    const given = request.headers['x-request-id']
    const isId = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given)
    return isId && clients(request).byTrustedProxy ? given : randomUUID()
  }
}

/**
 * Answers that are made in the same turn of the event loop are sent at its end, one right after the other. A client or
 * proxy that waits is then woken once for all of them: waking it again for each is a fifth of what a short request costs.
 */

let waiting: (() => void)[] = []

/** `send` makes and sends an answer. */
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
      // A bug, which ends the process. The other answers are sent first.
      process.nextTick(() => {
        throw error
      })
    }
  }
}
