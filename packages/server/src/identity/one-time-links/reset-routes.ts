/** The page of a one-time link to a new password. Nobody is signed in there. */
import type { FastifyInstance } from 'fastify'
import { RequestError } from '../../errors.ts'
import { passwordSetPage, resetPage } from '../../web/account/password-pages.ts'
import { errorPage } from '../../web/message-page.ts'
import { sendPage } from '../../web/send-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { consoleOf, FORM, PAGE, refuseForm } from '../form-routes.ts'
import { parametersOf, required } from '../parameters.ts'
import { resetPassword, resetUsername } from './reset-password.ts'

export function resetRoutes(app: FastifyInstance, deps: IdentityDependencies): void {
  app.get('/reset', PAGE, async (request, reply) => {
    const console = consoleOf(deps, request)
    const secret = required(parametersOf(request), 'secret')
    const username = await resetUsername(secret, deps)
    if (username === undefined) return sendPage(reply, 410, overPage(console))
    return sendPage(reply, 200, resetPage({ csrf: reply.csrf(), secret, username, console }))
  })

  app.post('/reset', FORM, async (request, reply) => {
    const { address } = request.client
    const console = consoleOf(deps, request)
    const parameters = parametersOf(request)
    const secret = required(parameters, 'secret')
    const username = await resetUsername(secret, deps)
    if (username === undefined) return sendPage(reply, 410, overPage(console))
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

const overPage = (console: string | undefined) =>
  errorPage({
    title: 'This link does not work',
    message:
      'It has expired, was used before, or was replaced. Ask the operator of this store for another one.',
    did: undefined,
    console,
  })
