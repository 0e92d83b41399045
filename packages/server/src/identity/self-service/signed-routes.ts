/** What routes for a signed-in person share. */
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IdentityDependencies } from '../dependencies.ts'
import { browserCookie, goTo, pageOptions, refuseThrottled } from '../form-routes.ts'
import type { SignedIn } from '../logins/browser-session.ts'
import { type Parameters, parametersOf } from '../parameters.ts'

/** What a route of a signed-in person works with. */
export interface Signed {
  readonly browser: SignedIn
  /** The browser's, as it was while the connection was open. */
  readonly address: string
  readonly parameters: Parameters
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export interface SignedRoutes extends ReturnType<typeof pageOptions> {
  readonly app: FastifyInstance
  readonly deps: IdentityDependencies
  readonly cookie: ReturnType<typeof browserCookie>
  /** Whoever is not signed in gets to the page that asks for it. */
  signed(
    work: (signed: Signed) => Promise<FastifyReply>,
  ): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  /** The answer after too many attempts that failed. */
  throttled(signed: Signed, refused: { readonly retryAt: Date }): FastifyReply
}

export function signedRoutes(
  app: FastifyInstance,
  deps: IdentityDependencies,
  cookieOptions: CookieSerializeOptions,
): SignedRoutes {
  const cookie = browserCookie(deps, cookieOptions)
  return {
    ...pageOptions(app),
    app,
    deps,
    cookie,
    signed: (work) => async (request, reply) => {
      const { address } = request.client
      const parameters = parametersOf(request)
      const browser = await cookie.signedIn(request)
      return browser ? work({ browser, address, parameters, request, reply }) : goTo(reply, 'account')
    },
    throttled: ({ request, reply }, { retryAt }) => {
      const back = { href: 'account', text: 'Back to your account' }
      return refuseThrottled(request, reply, { retryAt, now: deps.clock(), back })
    },
  }
}
