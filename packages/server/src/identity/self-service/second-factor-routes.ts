/** The pages on which people get a second factor, replace its recovery codes, and turn it off. */
import { invalidRequest } from '../../errors.ts'
import {
  enrolmentPage,
  manageSecondFactorPage,
  recoveryCodesPage,
  startEnrolmentPage,
} from '../../web/account/second-factor-pages.ts'
import { sendPage } from '../../web/send-page.ts'
import { goTo, refuseForm } from '../form-routes.ts'
import {
  confirmOwnEnrolment,
  disableOwnSecondFactor,
  type Owner,
  ownEnrolment,
  replaceOwnRecoveryCodes,
  secondFactorState,
  startOwnEnrolment,
} from './own-second-factor.ts'
import type { SignedRoutes } from './signed-routes.ts'

export function secondFactorRoutes({ app, deps, page, form, signed, throttled }: SignedRoutes): void {
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
