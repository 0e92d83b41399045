/** The shared parts of routes for a signed-in user. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageContent } from '../../web/layout.ts'
import { type AccountFrame, sendAccountPage } from '../../web/send-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { browserCookie, goTo, refuseThrottled } from '../form-routes.ts'
import type { SignedIn } from '../logins/browser-session.ts'
import { type Parameters, parametersOf } from '../parameters.ts'

/** The input of a route for a signed-in user. */
interface Signed {
  readonly browser: SignedIn
  /** The browser's address, read while the connection was open. */
  readonly address: string
  readonly parameters: Parameters
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Returns the frame of the same service's console for a signed-in user. */
export type ConsoleFrame = (account: SignedIn['account']) => Promise<AccountFrame>

type Shown = Pick<Signed, 'browser' | 'request' | 'reply'>

export interface SignedRoutes {
  readonly app: FastifyInstance
  readonly deps: IdentityDependencies
  readonly cookie: ReturnType<typeof browserCookie>
  /** Runs `work` for signed-in users, and redirects others to the sign-in page. */
  signed(
    work: (signed: Signed) => Promise<FastifyReply>,
  ): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  /** Shows a page in the console's frame, if there is a console. */
  show(signed: Shown, content: PageContent, status?: number): Promise<FastifyReply>
  /** Shows a form's page again, with its error. */
  refuse(signed: Shown, content: PageContent): Promise<FastifyReply>
  /** Answers an attempt after too many failed ones. */
  throttled(signed: Shown, refused: { readonly retryAt: Date }): Promise<FastifyReply>
}

export function signedRoutes(
  app: FastifyInstance,
  deps: IdentityDependencies,
  consoleFrame?: ConsoleFrame,
): SignedRoutes {
  const cookie = browserCookie(deps)
  const show: SignedRoutes['show'] = async ({ browser, request, reply }, content, status = 200) => {
    const isShown = deps.showsConsoleTo(request.client.address)
    return sendAccountPage(
      reply,
      status,
      content,
      isShown ? await consoleFrame?.(browser.account) : undefined,
    )
  }
  return {
    app,
    deps,
    cookie,
    signed: (work) => async (request, reply) => {
      const { address } = request.client
      const parameters = parametersOf(request)
      const browser = await cookie.signedIn(request)
      return browser ? work({ browser, address, parameters, request, reply }) : goTo(reply, 'account')
    },
    show,
    refuse: (signed, content) => {
      signed.request.refusal = 'permission denied'
      return show(signed, content, 403)
    },
    throttled: (signed, { retryAt }) => {
      const back = { href: 'account', text: 'Back to your account' }
      const content = refuseThrottled(signed.request, signed.reply, { retryAt, now: deps.clock(), back })
      return show(signed, content, 429)
    },
  }
}
