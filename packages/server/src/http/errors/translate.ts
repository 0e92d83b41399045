/** The one place that turns what an operation threw into an answer of the API. */
import { ERROR_CODES, type ErrorBody, type ErrorCode } from '@ratafia/api'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { RequestError, TooManyRequests, Unavailable } from '../../errors.ts'
import { BODY_LIMIT } from '../json-body.ts'
import { describeFindings } from './schema-refusal.ts'

/** The realm named by `WWW-Authenticate` and by the `extra` of a 401. */
const REALM = 'Ratafia'

/** Where another credential is asked for than a token. The first makes snapd refresh by itself (contract/devices.md 1.3). */
const CHALLENGES: ReadonlyMap<ErrorCode, string> = new Map([
  ['device-session-required', 'Macaroon refresh_device_session=1'],
  ['invalid-api-key', `ApiKey realm="${REALM}"`],
])

export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly extra: Readonly<Record<string, unknown>>
}

/** The body of an error answer: the same list under both of the store's spellings. */
export function errorBody({ code, message, extra }: Refusal): ErrorBody {
  const list = [{ code, message, extra: { ...extra } }]
  return { error_list: list, 'error-list': list }
}

/** Fastify's error handler for the API. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const { code, message, extra } = refusalOf(error, request.routeOptions.bodyLimit)
  const { status } = ERROR_CODES[code]
  // What watches the service should not take a limit for a database that is away, also where the answer is the same.
  request.refusal = error instanceof TooManyRequests ? 'too-many-requests' : code
  if (status === 500) request.log.error({ err: error }, 'fault')
  else if (status === 503 && !(error instanceof TooManyRequests))
    request.log.warn({ err: error }, 'could not check')
  else request.log.debug({ refusal: code, detail: privateDetail(error) }, 'refused')
  if (status === 401) reply.header('www-authenticate', CHALLENGES.get(code) ?? `Macaroon realm="${REALM}"`)
  if (error instanceof TooManyRequests) reply.header('retry-after', String(error.retryAfter))
  else if (status === 503) reply.header('retry-after', '1')
  reply
    .status(status)
    .send(errorBody({ code, message, extra: status === 401 ? { realm: REALM, ...extra } : extra }))
}

const privateDetail = (error: Error): string | undefined =>
  error instanceof RequestError ? error.private : undefined

/** `bodyLimit` is the route's, in bytes. */
export function refusalOf(error: FastifyError | Error, bodyLimit = BODY_LIMIT): Refusal {
  // Taken apart: a spread of an error would leave its message behind.
  if (error instanceof RequestError) return { code: error.code, message: error.message, extra: error.extra }
  if (error instanceof TooManyRequests) {
    const code = error.asBusy ? 'service-unavailable' : 'too-many-requests'
    return { code, message: error.message, extra: {} }
  }
  if (error instanceof Unavailable) {
    return {
      code: 'service-unavailable',
      message: 'The service could not check the request just now. Try again in a moment; nothing was lost.',
      extra: {},
    }
  }
  return (
    frameworkRefusal(error, bodyLimit) ?? {
      code: 'internal-error',
      message: 'The service failed at this request. It is logged; please report it to the operator.',
      extra: {},
    }
  )
}

/** What Fastify itself refuses: the schema, the size, the encoding of a request. */
function frameworkRefusal(error: FastifyError | Error, bodyLimit: number): Refusal | undefined {
  if (!('code' in error)) return undefined
  if (error.code === 'FST_ERR_VALIDATION') return schemaRefusal(error)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { code: 'request-too-large', message: `The body is larger than ${sizeOf(bodyLimit)}.`, extra: {} }
  }
  const message = FRAMEWORK_MESSAGES.get(error.code)
  if (message !== undefined) return { code: 'invalid-request', message, extra: {} }
  const status = error.statusCode ?? 500
  // Fastify's other 4xx (a bad content length): its messages describe the request, not the service.
  if (status >= 400 && status < 500) {
    return { code: 'invalid-request', message: `${error.message.replace(/\.+$/, '')}.`, extra: {} }
  }
  return undefined
}

const sizeOf = (bytes: number): string => (bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`)
const MIB = 1024 * 1024

/** Where Fastify's own would repeat the address, with its query, or say nothing. */
const FRAMEWORK_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['FST_ERR_BAD_URL', 'The path is not percent-encoded UTF-8.'],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    'The Content-Type header is not a media type. Send application/json, or none.',
  ],
])

function schemaRefusal({ validation = [], validationContext }: FastifyError): Refusal {
  const where = validationContext === 'querystring' ? 'query' : 'body'
  const { field, message } = describeFindings(where, validation)
  return { code: field === where ? 'invalid-request' : 'invalid-field', message, extra: { field } }
}
