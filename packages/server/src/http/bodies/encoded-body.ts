/**
 * Refuses bodies with a content coding before any of the body is read: no client of this API compresses its
 * requests, and there is no limit to what a small body decompresses to.
 */
import type { FastifyInstance } from 'fastify'
import { RequestError } from '../../errors.ts'
import { noteRefusal, sendRefusal } from '../errors/answer.ts'
import { refusal } from '../errors/refusal.ts'
import { hasBody } from './body-headers.ts'

const CODE = 'unsupported-encoding'
const MESSAGE =
  'The body has a Content-Encoding, and this service does not accept compressed bodies. Send it uncompressed, without that header.'

/** Applies to routes added to `app` later. The refusal closes the connection, because the body stays unread. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (isPlain(request.headers['content-encoding']) || !hasBody(request.raw)) return done(null, payload)
    const refused = refusal(CODE, MESSAGE, { close: true })
    noteRefusal(request, new RequestError(CODE, MESSAGE), refused)
    sendRefusal(reply, refused)
  })
}

/** `identity` means no coding (RFC 9110, 8.4.1). Node joins repeated headers with commas. */
const isPlain = (coding: string | readonly string[] | undefined): boolean =>
  coding === undefined ||
  String(coding)
    .split(',')
    .every((one) => /^\s*(?:identity)?\s*$/i.test(one))
