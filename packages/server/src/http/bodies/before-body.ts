/**
 * A route's work that comes before its body is examined, so that a request without a credential gets its 401 whatever its
 * body says. It runs once the body has arrived within its limit, when the request counts as work; where bodies are files,
 * before any of it is read.
 */
import type { FastifyReply, FastifyRequest, preParsingHookHandler, preValidationHookHandler } from 'fastify'
import { asError } from '../hooks.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Only for {@link beforeBody}. */
    resultBeforeBody: unknown
  }
}

export interface BeforeBody<T> {
  /** For the options of a route. */
  readonly preValidation: preValidationHookHandler
  /** Instead, for the options of a route whose body is large. */
  readonly preParsing: preParsingHookHandler
  /** For its handler. */
  resultOf(request: FastifyRequest): T
}

/** What `work` throws is the answer, whatever the body is. */
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
      // A route has one of these, whose hook alone sets it.
      return resultBeforeBody as T
    },
  }
}
