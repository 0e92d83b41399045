/**
 * The identity service over HTTP: a Fastify plugin of its own world (cookies, forms, error answers), to be registered
 * under the prefix that its location ends with. The application must ignore duplicate slashes: bakery clients in
 * JavaScript do not trim the slash of a location.
 */
import fastifyCookie, { type CookieSerializeOptions } from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import fastifyFormbody from '@fastify/formbody'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  errorCodes as fastifyErrors,
} from 'fastify'
import { type Counters, localCounters } from '../counters.ts'
import { errorPage } from '../web/message-page.ts'
import { sendPage } from '../web/send-page.ts'
import type { IdentityDependencies } from './dependencies.ts'
import { dischargeRoutes, sendJson } from './discharge/routes.ts'
import { IdentityError } from './errors.ts'
import { LoginWaiters } from './logins/login-waiters.ts'
import { pageRoutes } from './logins/page-routes.ts'
import { createThrottle } from './logins/throttle.ts'
import { type FormBody, parametersOf } from './parameters.ts'
import { type Refusal, refusal, refusalOf } from './refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its errors are answered with a page instead of JSON. */
    page?: boolean
  }
}

export interface IdentityOptions extends Omit<IdentityDependencies, 'throttle' | 'waiters'> {
  /** Default: one that counts with `counters`. */
  readonly throttle?: IdentityDependencies['throttle']
  /** Default: of this process alone. */
  readonly counters?: Counters
  /** How long one request to the wait URL is held, in milliseconds. Default 10 minutes. */
  readonly waitPatience?: number
  /** How many may wait at a time on this node. Default 2000. */
  readonly waitLimit?: number
}

const WAIT_MS = 10 * 60_000
/** Forms and discharges are small; the largest is a caveat payload of 16 KiB in base64 and a token. */
const BODY_LIMIT = 64 * 1024

export async function identityRoutes(app: FastifyInstance, options: IdentityOptions): Promise<void> {
  const { waitPatience = WAIT_MS, waitLimit, counters = localCounters(options), ...given } = options
  const waiters = new LoginWaiters({
    completedLogins: given.completedLogins,
    onError: (error) => app.log.warn({ err: error }, 'could not look for completed logins'),
    ...(waitLimit === undefined ? {} : { limit: waitLimit }),
  })
  const deps: IdentityDependencies = {
    ...given,
    waiters,
    throttle: given.throttle ?? createThrottle({ clock: given.clock, counters }),
  }
  // Before the server waits for its requests to end: those that wait for people would not.
  app.addHook('preClose', async () => waiters.close())

  const cookieOptions: CookieSerializeOptions = {
    path: new URL(deps.location).pathname,
    httpOnly: true,
    sameSite: 'lax',
    secure: deps.location.startsWith('https:'),
  }
  app.removeAllContentTypeParsers()
  await app.register(fastifyFormbody, { bodyLimit: BODY_LIMIT, parser: parseForm })
  app.addContentTypeParser('*', { bodyLimit: BODY_LIMIT, parseAs: 'buffer' }, refuseOtherBodies)
  await app.register(fastifyCookie)
  await app.register(fastifyCsrf, {
    cookieKey: 'ratafia-form',
    cookieOpts: cookieOptions,
    getToken: (request) => parametersOf(request).get('csrf'),
  })
  answerErrors(app)
  dischargeRoutes(app, deps, waitPatience)
  pageRoutes(app, deps, cookieOptions)
  app.all('/*', async (request) => {
    throw new IdentityError(
      'not found',
      `There is nothing for ${request.method} at this path of the identity service.`,
    )
  })
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const refused = refusalOf(error) ?? frameworkRefusal(error) ?? FAULT
    request.refusal = refused.code
    if (refused.status === 500) request.log.error({ err: error }, 'fault')
    else if (refused.status === 503) request.log.warn({ err: error }, 'could not answer')
    const retryAfter = refused.retryAfter ?? (refused.status === 503 ? 1 : undefined)
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
    if (!request.routeOptions.config.page) return sendRefusal(reply, refused)
    // 401 asks a client for credentials by a header; a person is just told.
    const status = refused.status === 401 ? 403 : refused.status
    const title = TITLES.get(status) ?? (status >= 500 ? 'This did not work' : 'This is not possible')
    return sendPage(reply, status, errorPage({ title, message: refused.message }))
  })
}

const TITLES: ReadonlyMap<number, string> = new Map([[429, 'Too many requests']])

const FAULT = refusal('internal error', {
  message: 'The identity service failed at this request. It is logged; please report it to the operator.',
})

function sendRefusal(reply: FastifyReply, { status, code, message, methods }: Refusal): FastifyReply {
  // Never 407: clients so old that they need it are not known (contract/bakery.md 7.7).
  if (methods) reply.header('www-authenticate', 'Macaroon')
  const body = { Code: code, Message: message }
  return sendJson(reply, status, methods ? { ...body, Info: { InteractionMethods: methods } } : body)
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

const parseForm = (text: string): FormBody => ({ form: new URLSearchParams(text) })

/** Go's client has all parameters in the query and sends an empty body in chunks, without a type. */
function refuseOtherBodies(
  { headers }: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: undefined) => void,
): void {
  if (headers['content-type'] === undefined && body.length === 0) done(null)
  else done(new fastifyErrors.FST_ERR_CTP_INVALID_MEDIA_TYPE(headers['content-type'] ?? 'none'))
}
