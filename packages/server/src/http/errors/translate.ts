/** The one place that turns thrown errors, ours, Fastify's or those of Node's parser, into refusals. */
import type { FastifyError } from 'fastify'
import { RequestError, TooManyRequests, Unavailable } from '../../errors.ts'
import { BODY_LIMIT } from '../bodies/json-body.ts'
import { type Refusal, refusal } from './refusal.ts'
import { describeFindings, withPlaceInWords } from './schema-refusal.ts'

/** `bodyLimit` is the route's limit, in bytes. */
export function refusalOf(error: FastifyError | Error, bodyLimit = BODY_LIMIT): Refusal {
  if (error instanceof RequestError) {
    return refusal(error.code, withPlaceInWords(error.message), { extra: error.extra })
  }
  if (error instanceof TooManyRequests) {
    const code = error.asBusy ? 'service-unavailable' : 'too-many-requests'
    return refusal(code, error.message, { retryAfter: error.retryAfter })
  }
  if (error instanceof Unavailable) {
    return refusal(
      'service-unavailable',
      'The service could not check the request just now. Try again in a moment; nothing was lost.',
    )
  }
  return (
    fastifyRefusal(error, bodyLimit) ??
    refusal(
      'internal-error',
      'The service failed to handle this request. The failure was logged; report it to the operator.',
    )
  )
}

/** Refusals by Fastify itself, of a request's schema, size or encoding. */
function fastifyRefusal(error: FastifyError | Error, bodyLimit: number): Refusal | undefined {
  if (!('code' in error)) return undefined
  if (error.code === 'FST_ERR_VALIDATION') return schemaRefusal(error)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return refusal('request-too-large', `The body is larger than ${sizeOf(bodyLimit)}.`)
  }
  const message = FASTIFY_MESSAGES.get(error.code)
  if (message !== undefined) return refusal('invalid-request', message)
  const status = error.statusCode ?? 500
  // Fastify's other 4xx, such as a wrong content length: their messages describe the request, not the service.
  return status >= 400 && status < 500
    ? refusal('invalid-request', `${error.message.replace(/\.+$/, '')}.`)
    : undefined
}

const MIB = 1024 * 1024
const sizeOf = (bytes: number): string => (bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`)

/** For codes whose own message repeats the URL with its query, or explains nothing. */
const FASTIFY_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['FST_ERR_BAD_URL', 'The path is not percent-encoded UTF-8.'],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    'This address does not accept the Content-Type of the body. Send the form as a browser does.',
  ],
])

function schemaRefusal({ validation = [], validationContext }: FastifyError): Refusal {
  const where = validationContext === 'querystring' ? 'query' : 'body'
  const { field, message } = describeFindings(where, validation)
  const code = field === where ? 'invalid-request' : 'invalid-field'
  return refusal(code, withPlaceInWords(message), { extra: { field } })
}

interface ParserError {
  readonly code?: string
  /** The parsed bytes, perhaps with requests before the one that failed, and how many of them were parsed. */
  readonly rawPacket?: unknown
  readonly bytesParsed?: number
}

/** Refusals by Node's parser, and of `CONNECT`. The connection cannot be used after any of these. */
export function parserRefusal(error: ParserError): Refusal {
  const known = PARSER_REFUSALS.get(error.code ?? '')
  if (known) return known
  const method = error.code === 'HPE_INVALID_METHOD' ? unknownMethod(error) : undefined
  if (method !== undefined) return noSuchMethod(`This service does not support ${method}.`)
  return refusal('invalid-request', 'The request is not valid HTTP (RFC 9112).', { close: true })
}

/** Returns the method of a request line that is otherwise valid. */
function unknownMethod({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (!(rawPacket instanceof Buffer)) return undefined
  const line = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  const text = rawPacket.toString('latin1', line)
  // The body of the previous request may end on the same line.
  const [, method] =
    /^[^\r\n]{0,64}?([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) \S+ HTTP\/1\.[01]\r\n/.exec(text) ?? []
  return method
}

/** The path is unknown here, so it lists the methods of all paths. */
const noSuchMethod = (message: string): Refusal => {
  const allowed = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE']
  return refusal('method-not-allowed', `${message} It supports ${allowed.join(', ')}.`, {
    extra: { allowed },
    close: true,
  })
}

/** Refusals by the code of the parser's error. */
const PARSER_REFUSALS: ReadonlyMap<string, Refusal> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    refusal(
      'headers-too-large',
      'The request line and headers are larger than 64 KiB, or there are more than 1,000 headers.',
      { close: true },
    ),
  ],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    refusal('request-too-large', 'The chunk extensions of the body are larger than 16 KiB.', { close: true }),
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    refusal('invalid-request', 'The request did not arrive in time.', { status: 408, close: true }),
  ],
  ['CONNECT', noSuchMethod('This service is not a proxy: it does not support CONNECT.')],
])
