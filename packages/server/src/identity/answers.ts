/** What the operations throw and return, as the bakery's JSON (contract/bakery.md 3.2, 3.3) or as a page. */
import { BAKERY_ERROR_CODES, type BakeryErrorCode, ERROR_CODES } from '@ratafia/api'
import { MacaroonError } from '@ratafia/macaroon'
import { BakeryError } from '@ratafia/macaroon/bakery'
import { ConditionError } from '@ratafia/macaroon/conditions'
import type { FastifyReply } from 'fastify'
import { RequestError, Unavailable } from '../errors.ts'
import { PAGE_HEADERS } from '../web/headers.ts'
import { IdentityError, type InteractionMethods, InteractionRequired, StillWaiting } from './errors.ts'

export interface Refusal {
  readonly status: number
  readonly code: BakeryErrorCode
  readonly message: string
  readonly methods?: InteractionMethods
}

/** Bytes, so that Fastify adds no charset: clients compare the content type as a string. */
export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply
    .status(status)
    .headers({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(Buffer.from(JSON.stringify(body)))
}

export function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.status(status).headers(PAGE_HEADERS).send(page)
}

export function sendRefusal(reply: FastifyReply, { status, code, message, methods }: Refusal): FastifyReply {
  // Never 407: clients so old that they need it are not known (contract/bakery.md 7.7).
  if (methods) reply.header('www-authenticate', 'Macaroon')
  if (status === 503) reply.header('retry-after', '1')
  const body = { Code: code, Message: message }
  return sendJson(reply, status, methods ? { ...body, Info: { InteractionMethods: methods } } : body)
}

/** What an error says to the client. `undefined` for a fault of ours. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof InteractionRequired)
    return { ...refusal('interaction required', error), methods: error.methods }
  if (error instanceof IdentityError) return refusal(error.code, error)
  if (error instanceof StillWaiting) return { ...refusal('service unavailable', error), status: 504 }
  if (error instanceof RequestError) {
    return refusal(ERROR_CODES[error.code].status === 401 ? 'permission denied' : 'bad request', error)
  }
  if (error instanceof BakeryError) return caveatRefusal(error)
  if (error instanceof ConditionError) return refusal('permission denied', error)
  if (error instanceof MacaroonError) return refusal('bad request', error)
  if (error instanceof Unavailable) {
    return refusal('service unavailable', {
      message: 'The identity service could not check this just now. Try again.',
    })
  }
  return frameworkRefusal(error)
}

const refusal = (code: BakeryErrorCode, { message }: { readonly message: string }): Refusal => ({
  status: BAKERY_ERROR_CODES[code],
  code,
  message,
})

/** A caveat for somebody else, or forged, is refused; one that is none at all is a bad request. */
function caveatRefusal(error: BakeryError): Refusal {
  const bad: readonly string[] = ['malformed', 'unsupported-version', 'limit-exceeded', 'payload-missing']
  return refusal(bad.includes(error.code) ? 'bad request' : 'permission denied', {
    message: `The caveat cannot be discharged: ${error.message}.`,
  })
}

/** What Fastify itself refuses: a body that is too large, of another type than a form, … */
function frameworkRefusal(error: unknown): Refusal | undefined {
  const { statusCode, code, message } = error as { statusCode?: unknown; code?: unknown; message?: unknown }
  if (typeof code !== 'string' || !code.startsWith('FST_') || typeof statusCode !== 'number') return undefined
  if (code.startsWith('FST_CSRF_')) {
    return {
      status: 403,
      code: 'permission denied',
      message:
        'This form is out of date, or your browser sends no cookies. Go back to the page of your login.',
    }
  }
  return statusCode >= 400 && statusCode < 500
    ? refusal('bad request', { message: `${String(message)}.` })
    : undefined
}
