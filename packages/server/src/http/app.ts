/** The HTTP application without any feature: limits, headers, errors, bodies. Features are added by `start.ts`. */
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { API_VERSION } from '@ratafia/api'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type HTTPMethods } from 'fastify'
import type { Log } from '../telemetry/log.ts'
import { answerError, errorBody } from './errors.ts'
import { BODY_LIMIT } from './json-body.ts'

/** Request line and headers together, in bytes: macaroons travel in headers. */
export const HEADER_LIMIT = 64 * 1024

export interface AppOptions {
  readonly log: Log
  /** Addresses and CIDR blocks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Gives the server that is to hand its requests to the listener. */
  readonly serve: (listener: RequestListener) => Server
}

export function createApp({ log, trustedProxies, serve }: AppOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    serverFactory: (listener) => serve(listener),
    bodyLimit: BODY_LIMIT,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    // `L//discharge`: bakery clients in JavaScript do not trim the slash of a location.
    routerOptions: { ignoreDuplicateSlashes: true, maxParamLength: 128 },
    // Strict: what a client signs or relies on is neither converted, nor trimmed, nor completed.
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false },
    },
    // While closing, requests in flight end normally and a new one on an open connection is told to go elsewhere.
    return503OnClosing: true,
  })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    const allowed = METHODS.filter((method) => app.findRoute({ url: pathOf(request.url), method }) !== null)
    if (allowed.length === 0) {
      const message = 'There is nothing at this path. GET / lists what there is.'
      return reply.status(404).send(errorBody({ code: 'not-found', message, extra: {} }))
    }
    const message = `This path does not take ${request.method}. It takes ${allowed.join(', ')}.`
    return reply
      .status(405)
      .header('allow', allowed.join(', '))
      .send(errorBody({ code: 'method-not-allowed', message, extra: { allowed } }))
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.header('snap-store-version', String(API_VERSION))
    reply.header('x-content-type-options', 'nosniff')
    // Bakery clients compare the type as a string: with a charset they silently do nothing.
    if (String(reply.getHeader('content-type')).startsWith('application/json')) {
      reply.header('content-type', 'application/json')
    }
  })
  return app
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST']
const pathOf = (url: string): string => url.split('?', 1)[0] ?? url

/** What Node's parser refuses before there is a request: answered in the same form as every other error. */
export function answerParserError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const line = tooLarge
    ? '431 Request Header Fields Too Large'
    : late
      ? '408 Request Timeout'
      : '400 Bad Request'
  const refusal = tooLarge
    ? ({
        code: 'headers-too-large',
        message: 'The request line and headers are larger than 64 KiB.',
      } as const)
    : ({
        code: 'invalid-request',
        message: late ? 'The request did not arrive in time.' : 'The request is not HTTP as RFC 9112 has it.',
      } as const)
  const body = JSON.stringify(errorBody({ ...refusal, extra: {} }))
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Snap-Store-Version: ${API_VERSION}\r\nConnection: close\r\n\r\n${body}`,
  )
}
