/**
 * Reads every body of the API as JSON, regardless of its content type, because the store's clients (and `curl
 * -d`) are careless about it. An absent body counts as `{}`.
 */
import type { FastifyInstance, preValidationHookHandler } from 'fastify'
import { scan } from 'secure-json-parse'
import { RequestError } from '../../errors.ts'
import { afterwards, asError } from '../hooks.ts'
import { fileLimit } from './file-body.ts'
import { bodyParser } from './read-body.ts'

export const BODY_LIMIT = 64 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** `limit` is in bytes. */
export function readJsonBodies(app: FastifyInstance, limit = BODY_LIMIT): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', bodyParser({ limit, parse: (body) => body }))
  // Not in the parser, whose errors close the connection: this body was read to its end. Runs after the
  // route's own hooks, which check the credential.
  app.addHook('onRoute', (route) => {
    if (typeof route.method !== 'string' || !WITH_BODY.has(route.method)) return
    route.preValidation = afterwards(route.preValidation, parse)
  })
}

const parse: preValidationHookHandler = (request, _reply, done) => {
  try {
    if (fileLimit(request) === undefined) request.body = parseJsonBody(request.body)
    done()
  } catch (error) {
    done(asError(error))
  }
}

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** The API needs at most 4 levels; code that recurses into a body can rely on this limit. */
const MAX_DEPTH = 32

/**
 * An absent body is `{}`. Throws {@link RequestError} `invalid-request`, including for `__proto__` and
 * `constructor.prototype`.
 */
export function parseJsonBody(body: unknown): unknown {
  if (!(body instanceof Buffer) || body.length === 0) return {}
  const value = parseText(body)
  if (isDeeper(value, MAX_DEPTH)) {
    throw new RequestError('invalid-request', `The body is nested more than ${MAX_DEPTH} levels deep.`)
  }
  return value
}

function parseText(body: Buffer): unknown {
  const value = read(
    () => JSON.parse(utf8.decode(body)),
    'The body is not JSON. Send a JSON object, or no body at all.',
  )
  if (typeof value !== 'object' || value === null) return value
  return read(
    () => scan(value, { protoAction: 'error', constructorAction: 'error' }),
    'The body has a field named "__proto__", or "constructor" with a "prototype" in it. Leave it out.',
  )
}

/** Throws {@link RequestError} `invalid-request` with the message `otherwise`. */
export const decodeUtf8 = (body: Buffer, otherwise: string): string =>
  read(() => utf8.decode(body), otherwise)

function read<T>(parse: () => T, otherwise: string): T {
  try {
    return parse()
  } catch (cause) {
    throw new RequestError('invalid-request', otherwise, { cause })
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1)))
