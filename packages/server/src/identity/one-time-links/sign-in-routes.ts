/** The page of a link that signs in. Opening it changes nothing: programs that preview links use none up. */
import type { FastifyInstance } from 'fastify'
import { userAgentIn } from '../../http/user-agent.ts'
import { errorPage } from '../../web/message-page.ts'
import { sendPage } from '../../web/send-page.ts'
import { signInLinkPage } from '../../web/sign-in-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { browserCookie, consoleOf, FORM, goTo, PAGE, pageOf } from '../form-routes.ts'
import { parametersOf, required } from '../parameters.ts'
import { signInByLink, signInLinkUsername } from './sign-in-link.ts'

export function signInLinkRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  const cookie = browserCookie(deps)

  app.get('/sign-in-link', PAGE, async (request, reply) => {
    const secret = required(parametersOf(request), 'secret')
    const username = await signInLinkUsername(secret, deps)
    if (username === undefined) return sendPage(reply, 410, overPage(consoleOf(deps, request)))
    return sendPage(reply, 200, signInLinkPage({ csrf: reply.csrf(), secret, username }))
  })

  app.post('/sign-in-link', FORM, async (request, reply) => {
    const { address } = request.client
    const secret = required(parametersOf(request), 'secret')
    const result = await signInByLink({ secret, address, userAgent: userAgentIn(request.headers) }, deps)
    if (result.outcome !== 'signed-in') return sendPage(reply, 410, overPage(consoleOf(deps, request)))
    cookie.set(reply, result.cookie)
    return goTo(reply, pageOf(undefined))
  })
}

const overPage = (console: string | undefined) =>
  errorPage({
    title: 'This link does not work',
    message: 'It has expired, or was used before. `ratafia sign-in-link` on the host makes another one.',
    did: undefined,
    console,
  })
