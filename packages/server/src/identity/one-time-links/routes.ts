/** The one-time link pages, to set a password or to sign in. They require no sign-in. */
import type { FastifyInstance } from 'fastify'
import { RequestError } from '../../errors.ts'
import { userAgentIn } from '../../http/client.ts'
import { passwordSetPage, resetPage } from '../../web/account/password-pages.ts'
import { type Html, html } from '../../web/html.ts'
import { errorPage } from '../../web/message-page.ts'
import { sendPage } from '../../web/send-page.ts'
import { signInLinkPage } from '../../web/sign-in-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { browserCookie, consoleOf, FORM, goTo, PAGE, pageOf, refuseForm } from '../form-routes.ts'
import { parametersOf, required } from '../parameters.ts'
import { linkUsername, resetPassword, signInByLink } from './use-link.ts'

export function oneTimeLinkRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  resetRoutes(app, deps)
  signInLinkRoutes(app, deps)
}

function resetRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  app.get('/reset', PAGE, async (request, reply) => {
    const console = consoleOf(deps, request)
    const secret = required(parametersOf(request), 'secret')
    const username = await linkUsername(secret, 'password', deps)
    if (username === undefined) return sendPage(reply, 410, overPage(BY_OPERATOR, console))
    return sendPage(reply, 200, resetPage({ csrf: reply.csrf(), secret, username, console }))
  })

  app.post('/reset', FORM, async (request, reply) => {
    const { address } = request.client
    const console = consoleOf(deps, request)
    const parameters = parametersOf(request)
    const secret = required(parameters, 'secret')
    const username = await linkUsername(secret, 'password', deps)
    if (username === undefined) return sendPage(reply, 410, overPage(BY_OPERATOR, console))
    const again = (failed: string) =>
      refuseForm(request, reply, resetPage({ csrf: reply.csrf(), secret, username, console, failed }))
    const password = parameters.get('password') ?? ''
    if (password !== (parameters.get('again') ?? '')) return again('The two passwords differ.')
    try {
      await resetPassword({ secret, password, address }, deps)
    } catch (error) {
      if (error instanceof RequestError && error.code === 'invalid-field') return again(error.message)
      throw error
    }
    return sendPage(reply, 200, passwordSetPage(console))
  })
}

/** Adds the sign-in link pages. Opening one changes nothing, so programs that preview links don't use them. */
function signInLinkRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  const cookie = browserCookie(deps)

  app.get('/sign-in-link', PAGE, async (request, reply) => {
    const secret = required(parametersOf(request), 'secret')
    const username = await linkUsername(secret, 'sign-in', deps)
    if (username === undefined) return sendPage(reply, 410, overPage(ON_HOST, consoleOf(deps, request)))
    return sendPage(reply, 200, signInLinkPage({ csrf: reply.csrf(), secret, username }))
  })

  app.post('/sign-in-link', FORM, async (request, reply) => {
    const { address } = request.client
    const secret = required(parametersOf(request), 'secret')
    const result = await signInByLink({ secret, address, userAgent: userAgentIn(request.headers) }, deps)
    if (result.outcome !== 'signed-in')
      return sendPage(reply, 410, overPage(ON_HOST, consoleOf(deps, request)))
    cookie.set(reply, result.cookie)
    return goTo(reply, pageOf(undefined))
  })
}

const BY_OPERATOR =
  'It has expired, was used already, or was replaced. Ask the operator of this service for another one.'
const ON_HOST = html`It has expired or was used already. Run <code>ratafia sign-in-link</code> on the host to get another one.`

const overPage = (message: string | Html, console: string | undefined) =>
  errorPage({ title: 'This link does not work', message, did: undefined, console })
