/** The single HTTP form of all password login refusals. */
import { LOGIN_ERROR_CODES, type LoginError, type LoginErrorCode } from '@ratafia/api'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { noteRefusal } from '../../http/errors/answer.ts'
import { REALM } from '../../http/errors/refusal.ts'
import { refusalOf } from '../../http/errors/translate.ts'
import { STATUS_CODES } from '../../node-http.ts'
import { type LoginExtra, LoginRefused } from './login-refused.ts'

interface Answer {
  readonly code: LoginErrorCode
  readonly message: string
  readonly extra: LoginExtra
  /** When to retry, in whole seconds. */
  readonly retryAfter: number | undefined
}

/** The Fastify error handler of these routes. */
export function answerLoginError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { code, message, extra, retryAfter } = answerTo(error, request.routeOptions.bodyLimit)
  const { status } = LOGIN_ERROR_CODES[code]
  noteRefusal(request, error, { status, code })
  const list = [{ code: code.toLowerCase().replaceAll('_', '-'), message, extra }]
  const body: LoginError = {
    code,
    message,
    title: STATUS_CODES[status] ?? '',
    extra: listed(extra),
    error_list: list,
    'error-list': list,
  }
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (status === 401) reply.header('www-authenticate', `Macaroon realm="${REALM}"`)
  // Send bytes, because Fastify does not add a charset to them.
  reply
    .status(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)))
}

function answerTo(error: FastifyError | Error, bodyLimit: number | undefined): Answer {
  if (error instanceof LoginRefused) {
    const { code, message, extra, waitMs } = error
    const retryAfter = waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1000))
    return { code, message, extra, retryAfter }
  }
  const { status, message, extra, retryAfter } = refusalOf(error, bodyLimit)
  const { field } = extra
  const name = typeof field === 'string' ? field.replace(/^body\//, '') : undefined
  return {
    code: CODES.get(status) ?? 'INVALID_DATA',
    message,
    extra: name ? { [name]: [message] } : {},
    retryAfter,
  }
}

/** The code for the status of an API refusal. */
const CODES: ReadonlyMap<number, LoginErrorCode> = new Map(
  (['REQUEST_TOO_LARGE', 'TOO_MANY_REQUESTS', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const).map(
    (code) => [LOGIN_ERROR_CODES[code].status, code],
  ),
)

/** Copies the values, because the wire type's lists are mutable. */
const listed = (extra: LoginExtra): LoginError['extra'] =>
  Object.fromEntries(
    Object.entries(extra).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
