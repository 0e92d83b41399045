/**
 * The identity service over HTTP: a Fastify plugin with its own cookies, forms and error answers. Register it
 * under the prefix that its location ends with.
 */
import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { insideOf } from '../addresses/address-classes.ts'
import { cookiesFor } from '../http/browsers/cookies.ts'
import { csrfTokens, formCookie } from '../http/browsers/csrf.ts'
import { type Counters, localCounters } from '../limits/counters.ts'
import type { Stores } from '../stores.ts'
import { identityFrontPage } from '../web/front-page.ts'
import { prefersPage, sendPage } from '../web/send-page.ts'
import type { RememberedAgents } from './agents/enabled-agent.ts'
import type { IdentityDependencies } from './dependencies.ts'
import { dischargeRoutes } from './discharge/routes.ts'
import { errorRoutes, nothingHere } from './error-routes.ts'
import { readForms } from './form-routes.ts'
import type { KnownService } from './known-services.ts'
import { LoginWaiters } from './logins/login-waiters.ts'
import { pageRoutes } from './logins/page-routes.ts'
import { signedInBefore } from './logins/signed-in-before.ts'
import { createThrottle, type Throttle } from './logins/throttle.ts'
import { oneTimeLinkRoutes } from './one-time-links/routes.ts'
import { codeRoutes, redirectRoutes } from './redirect/routes.ts'
import { accountRoutes } from './self-service/account-routes.ts'
import type { ConsoleFrame } from './self-service/signed-routes.ts'

export interface IdentityOptions
  extends Omit<
    IdentityDependencies,
    | 'throttle'
    | 'tally'
    | 'waiters'
    | 'knownAgents'
    | 'knownServices'
    | 'passwordLogins'
    | 'returnPlaces'
    | 'showsConsoleTo'
  > {
  /** Default: false. */
  readonly passwordLogins?: boolean
  /** Default: no agent is remembered. */
  readonly knownAgents?: RememberedAgents
  /** Default: none besides the one that this service is part of. */
  readonly knownServices?: readonly KnownService[]
  /** The URL where the console of the same service receives a browser after a login. Default: there is no console. */
  readonly consoleReturn?: string | undefined
  /** The addresses and CIDR blocks that can reach that console. Default: all. */
  readonly consoleFrom?: readonly string[] | undefined
  /** The frame around that console's pages. Default: there is no console. */
  readonly consoleFrame?: ConsoleFrame | undefined
  /** Other URLs that browsers can be sent back to (`return-to.ts`). Default: none. */
  readonly returnTo?: readonly string[]
  /** Default: a throttle that counts with `counters`. */
  readonly throttle?: Throttle
  /** Default: nothing is counted. */
  readonly tally?: IdentityDependencies['tally']
  /** Default: counters of this process only. */
  readonly counters?: Counters
  /** How long a request to the wait URL is held, in milliseconds. Default: 10 minutes. */
  readonly waitPatience?: number
  /** The number of clients that can wait at a time on this node. Default: 2000. */
  readonly waitLimit?: number
}

const WAIT_MS = 10 * 60_000
export async function identityRoutes(app: FastifyInstance, options: IdentityOptions): Promise<void> {
  const { waitPatience = WAIT_MS, waitLimit, counters = localCounters(options), ...given } = options
  const waiters = new LoginWaiters({
    completedLogins: given.completedLogins,
    onError: (error) => app.log.warn({ err: error }, 'could not look for completed logins'),
    ...(waitLimit === undefined ? {} : { limit: waitLimit }),
  })
  const deps: IdentityDependencies = {
    ...given,
    knownAgents: given.knownAgents ?? { find: (_, read) => read() },
    knownServices: given.knownServices ?? [],
    showsConsoleTo: given.consoleFrom ? insideOf(given.consoleFrom) : () => true,
    returnPlaces: { console: given.consoleReturn, others: given.returnTo ?? [] },
    passwordLogins: given.passwordLogins ?? false,
    waiters,
    tally: given.tally ?? { add: () => {} },
    throttle: given.throttle ?? signInThrottle(given, counters),
  }
  // End the waits for users before the server waits for its requests to finish.
  app.addHook('preClose', async () => waiters.close())

  readForms(app)
  errorRoutes(app, deps)
  frontRoutes(app, deps)
  dischargeRoutes(app, deps, waitPatience)
  await app.register(async (json) => codeRoutes(json, deps))
  // Programs get no cookies and send no forms, so their requests skip this plugin's hooks.
  await app.register(async (pages) => {
    await pages.register(fastifyCookie)
    csrfTokens(pages, formCookie(cookiesFor(deps.location)))
    pageRoutes(pages, deps)
    redirectRoutes(pages, deps)
    accountRoutes(pages, deps, given.consoleFrame)
    oneTimeLinkRoutes(pages, deps)
  })
}

/** Returns the throttle for passwords, which browsers and programs share. */
export const signInThrottle = (stores: Stores, counters: Counters): Throttle =>
  createThrottle({
    clock: stores.clock,
    counters,
    signedInBefore: (attempt) => signedInBefore(attempt, stores),
  })

/** Answers `GET` of the location itself: with a page for browsers, and a 404 for programs. */
function frontRoutes(app: FastifyInstance, { location }: { readonly location: string }): void {
  const page = identityFrontPage({ account: `${location}/account` })
  app.get('/', { config: { anyQuery: true, limit: 'none' } }, async (request, reply) => {
    reply.header('vary', 'Accept')
    if (!prefersPage(request)) throw nothingHere(request.method)
    return sendPage(reply, 200, page)
  })
}
