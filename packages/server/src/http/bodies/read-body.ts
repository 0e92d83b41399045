/**
 * Reads the body of a request, within its route's limit and the memory for bodies. Fastify's own reader does
 * not limit memory, and a limiter in front of it would pass every body through one more stream, which costs
 * as much as a short request.
 */
import { errorCodes, type FastifyRequest } from 'fastify'
import { asError } from '../hooks.ts'
import type { BodySpace } from './body-memory.ts'
import { fileLimit } from './file-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that the body uses; undefined for a request without a body. */
    bodySpace: BodySpace | undefined
  }
}

type Done = (error: Error | null, body?: unknown) => void
/** A parser for `addContentTypeParser`. */
type BodyParser = (request: FastifyRequest, payload: FastifyRequest['raw'], done: Done) => void

export interface BodyOptions {
  /** The limit in bytes. Default: the route's limit. */
  readonly limit?: number
  /** Turns the bytes into the body. If it throws, the error is the answer. */
  readonly parse: (body: Buffer, request: FastifyRequest) => unknown
}

/** Refuses a longer body with Fastify's own error. Refusing a body closes the connection. */
export function bodyParser({ limit, parse }: BodyOptions): BodyParser {
  return (request, payload, done) => {
    const most = fileLimit(request) ?? limit ?? request.routeOptions.bodyLimit
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > most) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    const pieces: Buffer[] = []
    let bytes = 0
    const finish = (error: Error | null, body?: unknown) => {
      payload.off('data', take).off('end', end).off('error', fail)
      // Reads and drops the rest.
      payload.resume()
      done(error, body)
    }
    const take = (piece: Buffer) => {
      bytes += piece.length
      if (bytes > most) return finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
      const refused = request.bodySpace?.refuses(piece)
      if (refused) return finish(refused)
      pieces.push(piece)
    }
    const end = () => {
      try {
        // Copies, because the pieces are views of the memory that the socket reads into.
        finish(null, parse(Buffer.concat(pieces, bytes), request))
      } catch (error) {
        finish(asError(error))
      }
    }
    // The client is gone, or it sent invalid HTTP.
    const fail = (error: Error) => finish(Object.assign(error, { statusCode: 400 }))
    payload.on('data', take).on('end', end).on('error', fail)
  }
}
