/** The user's own account pages, which do not depend on a program's login. */
import type { FastifyInstance } from 'fastify'
import { RequestError } from '../../errors.ts'
import { userAgentIn } from '../../http/client.ts'
import { accountPage } from '../../web/account/account-page.ts'
import { changePasswordPage } from '../../web/account/password-pages.ts'
import { sendPage } from '../../web/send-page.ts'
import { signInPage } from '../../web/sign-in-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { consoleOf, FORM, goTo, PAGE } from '../form-routes.ts'
import { parametersOf } from '../parameters.ts'
import { changeOwnPassword } from './change-own-password.ts'
import { secondFactorState } from './own-second-factor.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { type ConsoleFrame, type SignedRoutes, signedRoutes } from './signed-routes.ts'

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

/** Adds the page where users change their password. */
function passwordRoutes({ app, deps, cookie, signed, show, refuse, throttled }: SignedRoutes): void {
  app.get(
    '/change-password',
    PAGE,
    signed((all) => {
      const { username } = all.browser.account
      return show(all, changePasswordPage({ csrf: all.reply.csrf(), username }))
    }),
  )

  app.post(
    '/change-password',
    FORM,
    signed(async (all) => {
      const { browser, address, parameters, request, reply } = all
      const { username } = browser.account
      const again = (failed: string) =>
        refuse(all, changePasswordPage({ csrf: reply.csrf(), username, failed }))
      const old = parameters.get('old') ?? ''
      const password = parameters.get('password') ?? ''
      if (password !== (parameters.get('again') ?? '')) return again(DIFFERENT)
      const userAgent = userAgentIn(request.headers)
      const changed = await orRefusal(() =>
        changeOwnPassword({ browser, old, password, address, userAgent }, deps),
      )
      if (changed instanceof RequestError) return again(changed.message)
      if (changed.outcome === 'throttled') return throttled(all, changed)
      if (changed.outcome === 'wrong') return again('The current password is wrong.')
      cookie.set(reply, changed.cookie)
      return goTo(reply, 'account?changed=password')
    }),
  )
}

const DIFFERENT = 'The two new passwords differ.'

/** Runs `work`, and returns its `invalid-field` refusal, which the form shows. */
async function orRefusal<T>(work: () => Promise<T>): Promise<T | RequestError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestError && error.code === 'invalid-field') return error
    throw error
  }
}
