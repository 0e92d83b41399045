/** The identity service's error answers: the bakery's JSON (contract/bakery.md 3.2, 3.3), or a page. */
import { BAKERY_ERROR_CODES, type BakeryErrorCode } from '@ratafia/api'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RequestError } from '../errors.ts'
import { noteRefusal } from '../http/errors/answer.ts'
import { refusalOf } from '../http/errors/translate.ts'
import { errorPage } from '../web/message-page.ts'
import { sendPage } from '../web/send-page.ts'
import { type InteractionMethods, InteractionRequired } from './discharge/interaction.ts'
import { sendJson } from './discharge/routes.ts'
import { consoleOf } from './form-routes.ts'
import { StillWaiting } from './logins/wait.ts'
import { parametersOf } from './parameters.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether errors are answered with a page instead of JSON. */
    page?: boolean
  }
}

interface BakeryRefusal {
  readonly status: number
  readonly code: BakeryErrorCode
  readonly message: string
  readonly methods?: InteractionMethods
  /** When to retry, in seconds. */
  readonly retryAfter?: number | undefined
}

export function errorRoutes(app: FastifyInstance, deps: Parameters<typeof consoleOf>[0]): void {
  answerErrors(app, deps)
  // Answer before the body is read, because an unknown path has no expected form.
  app.all('/*', {
    config: { anyQuery: true, limit: 'none' },
    onRequest: ({ method }, _reply, done) => done(nothingHere(method)),
    // The hook has already answered.
    handler: async () => undefined,
  })
}

/** Answers the errors of the routes that are added to `app` later. */
export function answerErrors(app: FastifyInstance, deps: Parameters<typeof consoleOf>[0]): void {
  app.setErrorHandler((error: FastifyError | Error, request, reply) =>
    answer(error, request, reply, consoleOf(deps, request)),
  )
}

export const nothingHere = (method: string): RequestError =>
  new RequestError('not-found', `There is nothing for ${method} at this path of the identity service.`)

function answer(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  console: string | undefined,
): FastifyReply {
  const refused = bakeryRefusal(error, request.routeOptions.bodyLimit)
  noteRefusal(request, error, refused)
  if (refused.retryAfter !== undefined) reply.header('retry-after', String(refused.retryAfter))
  if (!request.routeOptions.config.page) return sendRefusalJson(reply, refused)
  // A 401 asks a program for credentials, so a user's browser gets a 403.
  const status = refused.status === 401 ? 403 : refused.status
  const title = TITLES.get(status) ?? (status >= 500 ? 'This did not work' : 'Invalid request')
  return sendPage(
    reply,
    status,
    errorPage({ title, message: refused.message, did: loginToGoBackTo(request, status), console }),
  )
}

/**
 * Returns the `did` of the login; none if the request was malformed, because its login page could be what was refused.
 */
function loginToGoBackTo(request: FastifyRequest, status: number): string | undefined {
  if (status === 400 || status === 404 || status === 413) return undefined
  try {
    return parametersOf(request).get('did')
  } catch {
    return undefined
  }
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [403, 'Permission denied'],
  [404, 'Page not found'],
  [429, 'Too many requests'],
])

/** The bakery's codes by the status of the API's refusal. Any other refusal is a `bad request`. */
const CODES: ReadonlyMap<number, BakeryErrorCode> = new Map([
  [401, 'permission denied'],
  [404, 'not found'],
  [429, 'too many requests'],
  [500, 'internal error'],
  [503, 'service unavailable'],
])

/** Returns the API's refusal in the bakery's form, or one of the answers that only the bakery has. */
function bakeryRefusal(error: FastifyError | Error, bodyLimit: number | undefined): BakeryRefusal {
  const { message } = error
  if (error instanceof InteractionRequired) {
    const code = 'interaction required'
    return { status: BAKERY_ERROR_CODES[code], code, message, methods: error.methods }
  }
  if (error instanceof StillWaiting) return { status: 504, code: 'service unavailable', message }
  const refused = refusalOf(error, bodyLimit)
  const code = CODES.get(refused.status) ?? 'bad request'
  return { status: BAKERY_ERROR_CODES[code], code, message: refused.message, retryAfter: refused.retryAfter }
}

function sendRefusalJson(
  reply: FastifyReply,
  { status, code, message, methods }: BakeryRefusal,
): FastifyReply {
  // Never 407, because no known client is old enough to need it (contract/bakery.md 7.7).
  if (methods) reply.header('www-authenticate', 'Macaroon')
  const body = { Code: code, Message: message }
  return sendJson(reply, status, methods ? { ...body, Info: { InteractionMethods: methods } } : body)
}
