/**
 * Work that a route does before its body is examined, so that a request without a credential gets its 401
 * whatever its body is. It runs once the body has arrived within its limit and the request counts as work.
 * For routes whose bodies are files, it runs before any of the body is read.
 */
import type { FastifyReply, FastifyRequest, preParsingHookHandler, preValidationHookHandler } from 'fastify'
import { asError } from '../hooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Used only by {@link beforeBody}. */
    resultBeforeBody: unknown
  }
}

export interface BeforeBody<T> {
  /** Goes into the options of a route. */
  readonly preValidation: preValidationHookHandler
  /** Goes into the options of a route with a large body instead. */
  readonly preParsing: preParsingHookHandler
  /** Returns the result of the work, for the route's handler. */
  resultOf(request: FastifyRequest): T
}

/** An error that `work` throws is the answer, regardless of the body. */
export function beforeBody<T extends object>(
  work: (request: FastifyRequest, reply: FastifyReply) => T | Promise<T>,
): BeforeBody<T> {
  const run = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const keep = (result: T) => {
      request.resultBeforeBody = result
      done()
    }
    try {
      const result = work(request, reply)
      if (result instanceof Promise) result.then(keep, done)
      else keep(result)
    } catch (error) {
      done(asError(error))
    }
  }
  return {
    preValidation: (request, reply, done) => run(request, reply, done),
    preParsing: (request, reply, payload, done) =>
      run(request, reply, (error) => (error ? done(error) : done(null, payload))),
    resultOf: ({ resultBeforeBody }) => {
      if (resultBeforeBody === undefined) throw new TypeError('the route lacks the hook')
      // Only the hook of this route's own `beforeBody` sets it.
      return resultBeforeBody as T
    },
  }
}
