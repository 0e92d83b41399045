/**
 * A route's work that comes before its body is examined, so that a request without a credential gets its 401 whatever its
 * body says. It runs once the body has arrived within its limit, when the request counts as work.
 */
import type { FastifyRequest } from 'fastify'

export interface BeforeBody<T> {
  /** For the options of a route. */
  readonly preValidation: (request: FastifyRequest) => Promise<void>
  /** For its handler. */
  resultOf(request: FastifyRequest): T
}

/** What `work` throws is the answer, whatever the body is. */
export function beforeBody<T extends object>(work: (request: FastifyRequest) => Promise<T>): BeforeBody<T> {
  const results = new WeakMap<FastifyRequest, T>()
  return {
    preValidation: async (request) => {
      results.set(request, await work(request))
    },
    resultOf: (request) => {
      const result = results.get(request)
      if (result === undefined) throw new TypeError('the route lacks the preValidation')
      return result
    },
  }
}
