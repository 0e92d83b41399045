/**
 * A route's work that comes before its body is examined, so that a request without a credential gets its 401 whatever its
 * body says. It runs once the body has arrived within its limit, when the request counts as work.
 */
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
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
  /** For its handler. */
  resultOf(request: FastifyRequest): T
}

/** What `work` throws is the answer, whatever the body is. */
export function beforeBody<T extends object>(
  work: (request: FastifyRequest) => T | Promise<T>,
): BeforeBody<T> {
  return {
    preValidation: (request, _reply, done) => {
      const keep = (result: T) => {
        request.resultBeforeBody = result
        done()
      }
      try {
        const result = work(request)
        if (result instanceof Promise) result.then(keep, done)
        else keep(result)
      } catch (error) {
        done(asError(error))
      }
    },
    resultOf: ({ resultBeforeBody }) => {
      if (resultBeforeBody === undefined) throw new TypeError('the route lacks the preValidation')
      // A route has one of these, whose hook alone sets it.
      return resultBeforeBody as T
    },
  }
}
