/**
 * How a body of the API is read: as JSON, whatever its content type says, because the store's clients (and
 * `curl -d`) are careless about it. An absent body is `{}`.
 */
import type { FastifyInstance } from 'fastify'
import { parse } from 'secure-json-parse'
import { RequestError } from '../errors.ts'

export const BODY_LIMIT = 64 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    async (_request: unknown, body: Buffer) => body,
  )
  // Here and not in the parser, whose errors close the connection: this body was read to its end.
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST') request.body = parseJsonBody(request.body)
  })
}

/** Throws {@link RequestError} `invalid-request`. `__proto__` and `constructor.prototype` are refused. */
function parseJsonBody(body: unknown): unknown {
  if (!(body instanceof Buffer) || body.length === 0) return {}
  try {
    return parse(utf8.decode(body), undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw new RequestError(
      'invalid-request',
      'The body is not JSON. Send a JSON object, or no body at all.',
      {
        cause: error,
      },
    )
  }
}
