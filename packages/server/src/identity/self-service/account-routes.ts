/** The pages of one's own account. They need no login of a program. */
import type { FastifyInstance } from 'fastify'
import { accountPage } from '../../web/account/account-page.ts'
import { sendPage } from '../../web/send-page.ts'
import { signInPage } from '../../web/sign-in-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { consoleOf, PAGE } from '../form-routes.ts'
import { parametersOf } from '../parameters.ts'
import { secondFactorState } from './own-second-factor.ts'
import { passwordRoutes } from './password-routes.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { type ConsoleFrame, signedRoutes } from './signed-routes.ts'

export function accountRoutes(
  app: FastifyInstance,
  deps: IdentityDependencies,
  consoleFrame?: ConsoleFrame,
): void {
  const routes = signedRoutes(app, deps, consoleFrame)
  const { cookie, show } = routes

  app.get('/account', PAGE, async (request, reply) => {
    const browser = await cookie.signedIn(request)
    const csrf = reply.csrf()
    if (!browser) {
      return sendPage(reply, 200, signInPage({ login: undefined, console: consoleOf(deps, request), csrf }))
    }
    const { since, recoveryCodesLeft } = await secondFactorState(browser.account, deps)
    const passwordChanged = parametersOf(request).get('changed') === 'password'
    const secondFactor = since && { since, recoveryCodesLeft }
    const { account } = browser
    return show({ browser, request, reply }, accountPage({ csrf, account, passwordChanged, secondFactor }))
  })

  passwordRoutes(routes)
  secondFactorRoutes(routes)
}
