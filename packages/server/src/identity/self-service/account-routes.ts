/** The pages of one's own account. They need no login of a program. */
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest, RequestError } from '../../errors.ts'
import { accountPage } from '../../web/account/account-page.ts'
import { changePasswordPage } from '../../web/account/password-pages.ts'
import {
  enrolmentPage,
  manageSecondFactorPage,
  recoveryCodesPage,
  startEnrolmentPage,
} from '../../web/account/second-factor-pages.ts'
import { sendPage } from '../../web/send-page.ts'
import { signInPage } from '../../web/sign-in-page.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { browserCookie, goTo, pageOptions, refuseForm, refuseThrottled } from '../form-routes.ts'
import type { SignedIn } from '../logins/browser-session.ts'
import { type Parameters, parametersOf } from '../parameters.ts'
import { changeOwnPassword } from './change-own-password.ts'
import {
  confirmOwnEnrolment,
  disableOwnSecondFactor,
  type Owner,
  ownEnrolment,
  replaceOwnRecoveryCodes,
  secondFactorState,
  startOwnEnrolment,
} from './own-second-factor.ts'

/** What a route of a signed-in person works with. */
interface Signed {
  readonly browser: SignedIn
  /** The browser's, as it was while the connection was open. */
  readonly address: string
  readonly parameters: Parameters
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export function accountRoutes(
  app: FastifyInstance,
  deps: IdentityDependencies,
  cookieOptions: CookieSerializeOptions,
): void {
  const { page, form } = pageOptions(app)
  const cookie = browserCookie(deps, cookieOptions)

  /** Whoever is not signed in gets to the page that asks for it. */
  const signed =
    (work: (signed: Signed) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { address } = request.client
      const parameters = parametersOf(request)
      const browser = await cookie.signedIn(request)
      return browser ? work({ browser, address, parameters, request, reply }) : goTo(reply, 'account')
    }
  const throttled = ({ request, reply }: Signed, { retryAt }: { readonly retryAt: Date }) => {
    const back = { href: 'account', text: 'Back to your account' }
    return refuseThrottled(request, reply, { retryAt, now: deps.clock(), back })
  }

  app.get('/account', page, async (request, reply) => {
    const browser = await cookie.signedIn(request)
    const csrf = reply.generateCsrf()
    if (!browser) return sendPage(reply, 200, signInPage({ login: undefined, csrf }))
    const { since, recoveryCodesLeft } = await secondFactorState(browser.account, deps)
    const passwordChanged = parametersOf(request).get('changed') === 'password'
    const secondFactor = since && { since, recoveryCodesLeft }
    return sendPage(
      reply,
      200,
      accountPage({ csrf, account: browser.account, passwordChanged, secondFactor }),
    )
  })

  app.get(
    '/change-password',
    page,
    signed(async ({ browser: { account }, reply }) =>
      sendPage(reply, 200, changePasswordPage({ csrf: reply.generateCsrf(), username: account.username })),
    ),
  )

  app.post(
    '/change-password',
    form,
    signed(async (all) => {
      const { browser, address, parameters, request, reply } = all
      const { username } = browser.account
      const again = (failed: string) =>
        refuseForm(request, reply, changePasswordPage({ csrf: reply.generateCsrf(), username, failed }))
      const old = parameters.get('old') ?? ''
      const password = parameters.get('password') ?? ''
      if (password !== (parameters.get('again') ?? '')) return again(DIFFERENT)
      const changed = await orRefusal(() => changeOwnPassword({ browser, old, password, address }, deps))
      if (changed instanceof RequestError) return again(changed.message)
      if (changed.outcome === 'throttled') return throttled(all, changed)
      if (changed.outcome === 'wrong') return again('Your password now is not the one you gave.')
      cookie.set(reply, changed.cookie)
      return goTo(reply, 'account?changed=password')
    }),
  )

  app.get(
    '/enrol',
    page,
    signed(async ({ browser: { account }, reply }) => {
      if ((await secondFactorState(account, deps)).since) return goTo(reply, 'account')
      const waiting = await ownEnrolment(account, deps)
      const csrf = reply.generateCsrf()
      return sendPage(
        reply,
        200,
        waiting
          ? enrolmentPage({ csrf, ...waiting })
          : startEnrolmentPage({ csrf, username: account.username }),
      )
    }),
  )

  app.post(
    '/enrol',
    form,
    signed(async (all) => {
      const { browser, address, parameters, request, reply } = all
      const owner = { account: browser.account, address }
      const started = await startOwnEnrolment(owner, parameters.get('password') ?? '', deps)
      if (started.verdict === 'throttled') return throttled(all, started)
      if (started.verdict === 'right') return goTo(reply, 'enrol')
      const failed = 'The password is wrong.'
      return refuseForm(
        request,
        reply,
        startEnrolmentPage({ csrf: reply.generateCsrf(), username: owner.account.username, failed }),
      )
    }),
  )

  app.post(
    '/confirm-second-factor',
    form,
    signed(async (all) => {
      const { browser, address, parameters, request, reply } = all
      const owner = { account: browser.account, address }
      const confirmed = await confirmOwnEnrolment(owner, parameters.get('code') ?? '', deps)
      if (confirmed.verdict === 'throttled') return throttled(all, confirmed)
      if (confirmed.verdict === 'right') {
        return sendPage(reply, 200, recoveryCodesPage({ codes: confirmed.recoveryCodes, enrolled: true }))
      }
      const waiting = await ownEnrolment(owner.account, deps)
      if (!waiting) return goTo(reply, 'enrol')
      const failed =
        'The code is wrong. Check the clock of your device, and enter the code that is shown now.'
      return refuseForm(request, reply, enrolmentPage({ csrf: reply.generateCsrf(), ...waiting, failed }))
    }),
  )

  app.get(
    '/manage-second-factor',
    page,
    signed(async ({ browser: { account }, reply }) => {
      if (!(await secondFactorState(account, deps)).since) return goTo(reply, 'account')
      return sendPage(
        reply,
        200,
        manageSecondFactorPage({ csrf: reply.generateCsrf(), username: account.username }),
      )
    }),
  )

  app.post(
    '/manage-second-factor',
    form,
    signed(async (all) => {
      const { browser, address, parameters, request, reply } = all
      const owner = { account: browser.account, address }
      if (!(await secondFactorState(owner.account, deps)).since) return goTo(reply, 'account')
      const proof = parameters.get('proof') ?? ''
      const done = await manage(parameters.get('do'), owner, proof)
      if (done.verdict === 'throttled') return throttled(all, done)
      if (done.verdict === 'wrong') {
        const failed = 'That is neither your password nor a code that works now.'
        return refuseForm(
          request,
          reply,
          manageSecondFactorPage({ csrf: reply.generateCsrf(), username: owner.account.username, failed }),
        )
      }
      if (!done.recoveryCodes) return goTo(reply, 'account')
      return sendPage(reply, 200, recoveryCodesPage({ codes: done.recoveryCodes, enrolled: false }))
    }),
  )

  const manage = async (what: string | undefined, owner: Owner, proof: string) => {
    if (what === 'disable') return disableOwnSecondFactor(owner, proof, deps)
    if (what === 'new-codes') return replaceOwnRecoveryCodes(owner, proof, deps)
    throw invalidRequest('The form says neither "disable" nor "new-codes".')
  }
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
