/** The page on which people change their password. */
import { RequestError } from '../../errors.ts'
import { userAgentIn } from '../../http/user-agent.ts'
import { changePasswordPage } from '../../web/account/password-pages.ts'
import { FORM, goTo, PAGE } from '../form-routes.ts'
import { changeOwnPassword } from './change-own-password.ts'
import type { SignedRoutes } from './signed-routes.ts'

export function passwordRoutes({ app, deps, cookie, signed, show, refuse, throttled }: SignedRoutes): void {
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
      if (changed.outcome === 'wrong') return again('Your password now is not the one you gave.')
      cookie.set(reply, changed.cookie)
      return goTo(reply, 'account?changed=password')
    }),
  )
}

const DIFFERENT = 'The two new passwords differ.'

/** A field that breaks its rule is shown with the form. */
async function orRefusal<T>(work: () => Promise<T>): Promise<T | RequestError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestError && error.code === 'invalid-field') return error
    throw error
  }
}
