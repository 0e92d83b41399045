/**
 * Ignores invalid content types. Every reader here knows its bodies, and most ignore the type, because the
 * store's clients are careless about it (docs/tokens.md). Fastify would refuse a type that it cannot read
 * before any of them runs.
 */
import type { FastifyInstance } from 'fastify'

/** The type and subtype of RFC 9110, 8.3.1; two types with a comma between them do not match. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/** Applies to routes added to `app` later: a header that is not a media type counts as absent. */
export function ignoreBadTypes(app: FastifyInstance): void {
  app.addHook('preParsing', ({ raw: { headers } }, _reply, payload, done) => {
    const type = headers['content-type']
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete headers['content-type']
    done(null, payload)
  })
}
