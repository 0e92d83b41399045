/**
 * Reads a body that is a form or, with a JSON media type, a JSON object: both have the same parameters under
 * the same names (contract/oidc.md, A2).
 */
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import { RequestError } from '../../errors.ts'
import { afterwards, asError } from '../hooks.ts'
import { BODY_LIMIT, decodeUtf8, parseJsonBody } from './json-body.ts'
import { bodyParser } from './read-body.ts'

/** The values by parameter name, one for each time it occurs: strings, or any JSON values. */
export type SentParameters = ReadonlyMap<string, readonly unknown[]>

/** Turns the body of each POST into {@link SentParameters}. */
export function readFormsOrJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', bodyParser({ limit: BODY_LIMIT, parse: (body) => body }))
  // Not in the parser, whose errors close the connection: this body was read to its end.
  app.addHook('onRoute', (route) => {
    if (route.method === 'POST') route.preValidation = afterwards(route.preValidation, parse)
  })
}

export function sentParameters({ body }: Pick<FastifyRequest, 'body'>): SentParameters {
  if (body instanceof Map) return body
  throw new TypeError('the route does not read forms')
}

const JSON_TYPE = /^application\/(?:[^;]+\+)?json\s*(?:;|$)/i

const parse: preValidationHookHandler = (request, _reply, done) => {
  try {
    const isJson = JSON_TYPE.test(request.headers['content-type'] ?? '')
    request.body = isJson ? ofJson(parseJsonBody(request.body)) : ofForm(request.body)
    done()
  } catch (error) {
    done(asError(error))
  }
}

function ofForm(body: unknown): SentParameters {
  const sent = new Map<string, string[]>()
  if (!(body instanceof Buffer)) return sent
  const text = decodeUtf8(body, 'The body is not a form: it is not UTF-8.')
  for (const [name, value] of new URLSearchParams(text)) {
    const values = sent.get(name)
    if (values) values.push(value)
    else sent.set(name, [value])
  }
  return sent
}

function ofJson(body: unknown): SentParameters {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestError('invalid-request', 'The body is JSON, but not an object. Send a JSON object.')
  }
  const present = Object.entries(body).filter(([, value]) => value !== null)
  return new Map(present.map(([name, value]) => [name, Array.isArray(value) ? value : [value]]))
}
