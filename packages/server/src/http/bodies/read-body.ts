/**
 * Reads the body of a request, within the limit of its route and the memory there is for bodies. Fastify's own reader
 * knows no limit on memory: one in front of it would pass every body through a stream more, which costs as much as a
 * short request does.
 */
import { errorCodes, type FastifyRequest } from 'fastify'
import { asError } from '../hooks.ts'
import type { BodySpace } from './body-memory.ts'
import { fileLimit } from './file-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for a request without a body. */
    bodySpace: BodySpace | undefined
  }
}

type Done = (error: Error | null, body?: unknown) => void
/** For `addContentTypeParser`. */
type BodyParser = (request: FastifyRequest, payload: FastifyRequest['raw'], done: Done) => void

export interface BodyOptions {
  /** Bytes. Default: the limit of the route. */
  readonly limit?: number
  /** What becomes of the bytes. What it throws is the answer. */
  readonly parse: (body: Buffer, request: FastifyRequest) => unknown
}

/** Refuses a longer body with Fastify's own error; a connection ends with the refusal of its body. */
export function bodyParser({ limit, parse }: BodyOptions): BodyParser {
  return (request, payload, done) => {
    const most = fileLimit(request) ?? limit ?? request.routeOptions.bodyLimit
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > most) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    const pieces: Buffer[] = []
    let bytes = 0
    const finish = (error: Error | null, body?: unknown) => {
      payload.off('data', take).off('end', end).off('error', fail)
      // The rest is read and dropped.
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
        // Copies: the pieces are views into memory that the socket reads into.
        finish(null, parse(Buffer.concat(pieces, bytes), request))
      } catch (error) {
        finish(asError(error))
      }
    }
    // The client is gone, or what it sent is not HTTP.
    const fail = (error: Error) => finish(Object.assign(error, { statusCode: 400 }))
    payload.on('data', take).on('end', end).on('error', fail)
  }
}
