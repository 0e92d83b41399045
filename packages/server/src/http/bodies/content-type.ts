/**
 * Content types that are none. Every reader here knows what its bodies are, and most ignore the type, because the store's
 * clients are careless about it (docs/tokens.md). Fastify would refuse a type that it cannot read before any of
 * them is asked.
 */
import type { FastifyInstance } from 'fastify'

/** Type and subtype of RFC 9110, 8.3.1; two types with a comma between them are none. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/** For routes added to `app` later: a header that is no media type counts as absent. */
export function ignoreBadTypes(app: FastifyInstance): void {
  app.addHook('preParsing', ({ raw: { headers } }, _reply, payload, done) => {
    const type = headers['content-type']
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete headers['content-type']
    done(null, payload)
  })
}
