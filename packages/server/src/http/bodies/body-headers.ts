/** Reads the headers that describe a body. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Whether the request has a body that is read: a GET's is not, so its end never arrives. */
export const hasBody = (request: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  request.method !== 'GET' && request.method !== 'HEAD' && announcesBody(request)

/** Whether a body follows the headers, whether or not it is read. */
export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** The type and subtype of RFC 9110, 8.3.1; two types with a comma between them do not match. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/**
 * Lets an invalid content type count as absent, on routes added to `app` later. Most readers here ignore the type,
 * because the store's clients are careless about it (docs/tokens.md). Fastify would refuse it before they run.
 */
export function ignoreBadTypes(app: FastifyInstance): void {
  app.addHook('preParsing', ({ raw: { headers } }, _reply, payload, done) => {
    const type = headers['content-type']
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete headers['content-type']
    done(null, payload)
  })
}
