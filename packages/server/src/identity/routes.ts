/**
 * The identity service over HTTP: a Fastify plugin of its own world (cookies, forms, error answers), to be registered
 * under the prefix that its location ends with. The application must ignore duplicate slashes: bakery clients in
 * JavaScript do not trim the slash of a location.
 */
import fastifyCookie, { type CookieSerializeOptions } from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import fastifyFormbody from '@fastify/formbody'
import { encodeBase64 } from '@ratafia/macaroon'
import { encodeBakeryMacaroon } from '@ratafia/macaroon/bakery'
import { type FastifyInstance, type FastifyRequest, errorCodes as fastifyErrors } from 'fastify'
import { errorPage } from '../web/message-page.ts'
import { plainAddress } from './address.ts'
import { agentLogin } from './agent-login.ts'
import { refusalOf, sendJson, sendPage, sendRefusal } from './answers.ts'
import type { IdentityDependencies } from './dependencies.ts'
import { dischargeCaveat } from './discharge.ts'
import { IdentityError } from './errors.ts'
import { forgetExpired } from './forget-expired.ts'
import type { Client } from './interaction-kinds.ts'
import { LoginWaiters } from './login-waiters.ts'
import { pageRoutes } from './page-routes.ts'
import { dischargeParameters, type FormBody, parametersOf, protocolVersion, required } from './parameters.ts'
import { createThrottle } from './throttle.ts'
import { waitForLogin } from './wait.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its errors are answered with a page instead of JSON. */
    page?: boolean
  }
}

export interface IdentityOptions extends Omit<IdentityDependencies, 'throttle' | 'waiters'> {
  /** Default: one for this process. */
  readonly throttle?: IdentityDependencies['throttle']
  /** How long one request to the wait URL is held, in milliseconds. Default 10 minutes. */
  readonly waitPatience?: number
  /** How many may wait at a time on this node. Default 2000. */
  readonly waitLimit?: number
}

const WAIT_MS = 10 * 60_000
const HOUSEKEEPING_MS = 10 * 60_000
/** Forms and discharges are small; the largest is a caveat payload of 16 KiB in base64 and a token. */
const BODY_LIMIT = 64 * 1024

export async function identityRoutes(app: FastifyInstance, options: IdentityOptions): Promise<void> {
  const { waitPatience = WAIT_MS, waitLimit, ...given } = options
  const waiters = new LoginWaiters({
    completedLogins: given.completedLogins,
    onError: (error) => app.log.warn({ err: error }, 'could not look for completed logins'),
    ...(waitLimit === undefined ? {} : { limit: waitLimit }),
  })
  const deps: IdentityDependencies = {
    ...given,
    waiters,
    throttle: given.throttle ?? createThrottle({ clock: given.clock }),
  }
  // Before the server waits for its requests to end: those that wait for people would not.
  app.addHook('preClose', async () => waiters.close())
  keepHouse(app, deps)

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

function dischargeRoutes(app: FastifyInstance, deps: IdentityDependencies, patience: number): void {
  const publicKey = async () => encodeBase64((await deps.keyring.dischargerKeyPairs())[0].publicKey)

  app.get('/discharge/info', async (_request, reply) =>
    sendJson(reply, 200, { PublicKey: await publicKey(), Version: 3, RequestSummary: true }),
  )
  app.get('/publickey', async (_request, reply) => sendJson(reply, 200, { PublicKey: await publicKey() }))

  app.post('/discharge', async (request, reply) => {
    const parameters = dischargeParameters(parametersOf(request))
    const macaroon = await dischargeCaveat({ ...parameters, client: clientOf(request) }, deps)
    return sendJson(reply, 200, { Macaroon: encodeBakeryMacaroon(macaroon) })
  })

  app.get('/login/agent', async (request, reply) => {
    const parameters = parametersOf(request)
    const macaroon = await agentLogin(
      {
        did: required(parameters, 'did'),
        name: required(parameters, 'username'),
        publicKey: required(parameters, 'public-key'),
        protocolVersion: protocolVersion(request.headers['bakery-protocol-version']),
      },
      deps,
    )
    return sendJson(reply, 200, { macaroon: encodeBakeryMacaroon(macaroon) })
  })

  // No HEAD beside it: that would be held as long.
  app.get('/wait-token', { exposeHeadRoute: false }, async (request, reply) => {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const did = required(parametersOf(request), 'did')
    const result = await waitForLogin({ did, patience, signal: gone.signal }, deps)
    // Nobody is there to be answered.
    if (!result) return reply.hijack()
    return sendJson(reply, 200, result)
  })
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error) ?? {
      status: 500,
      code: 'internal error' as const,
      message: 'The identity service failed at this request. It is logged; please report it to the operator.',
    }
    if (refusal.status === 500) request.log.error({ err: error }, 'fault')
    else if (refusal.status === 503) request.log.warn({ err: error }, 'could not answer')
    if (!request.routeOptions.config.page) return sendRefusal(reply, refusal)
    // 401 asks a client for credentials by a header; a person is just told.
    const status = refusal.status === 401 ? 403 : refusal.status
    const title = refusal.status >= 500 ? 'This did not work' : 'This is not possible'
    return sendPage(reply, status, errorPage({ title, message: refusal.message }))
  })
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

const clientOf = (request: FastifyRequest): Client => ({
  address: plainAddress(request.ip),
  userAgent: request.headers['user-agent'] ?? '',
})

function keepHouse(app: FastifyInstance, deps: IdentityDependencies): void {
  const timer = setInterval(() => {
    forgetExpired(deps).catch((error: unknown) =>
      app.log.warn({ err: error }, 'could not remove expired logins'),
    )
  }, HOUSEKEEPING_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
