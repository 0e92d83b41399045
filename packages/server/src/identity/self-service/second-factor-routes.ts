/** The pages where users enrol a second factor, replace its recovery codes, and turn it off. */
import { invalidRequest } from '../../errors.ts'
import {
  enrolmentPage,
  manageSecondFactorPage,
  recoveryCodesPage,
  startEnrolmentPage,
} from '../../web/account/second-factor-pages.ts'
import { FORM, goTo, PAGE } from '../form-routes.ts'
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

export function secondFactorRoutes(routes: SignedRoutes): void {
  const { app, deps, signed, show, refuse, throttled } = routes
  app.get(
    '/enrol',
    PAGE,
    signed(async (all) => {
      const {
        browser: { account },
        reply,
      } = all
      if ((await secondFactorState(account, deps)).since) return goTo(reply, 'account')
      const waiting = await ownEnrolment(account, deps)
      const csrf = reply.csrf()
      return show(
        all,
        waiting
          ? enrolmentPage({ csrf, ...waiting })
          : startEnrolmentPage({ csrf, username: account.username }),
      )
    }),
  )

  app.post(
    '/enrol',
    FORM,
    signed(async (all) => {
      const { browser, address, parameters, reply } = all
      const owner = { account: browser.account, address }
      const started = await startOwnEnrolment(owner, parameters.get('password') ?? '', deps)
      if (started.verdict === 'throttled') return throttled(all, started)
      if (started.verdict === 'right') return goTo(reply, 'enrol')
      const failed = 'The password is wrong.'
      return refuse(all, startEnrolmentPage({ csrf: reply.csrf(), username: owner.account.username, failed }))
    }),
  )

  app.post(
    '/confirm-second-factor',
    FORM,
    signed(async (all) => {
      const { browser, address, parameters, reply } = all
      const owner = { account: browser.account, address }
      const confirmed = await confirmOwnEnrolment(owner, parameters.get('code') ?? '', deps)
      if (confirmed.verdict === 'throttled') return throttled(all, confirmed)
      if (confirmed.verdict === 'right') {
        return show(all, recoveryCodesPage({ codes: confirmed.recoveryCodes, enrolled: true }))
      }
      const waiting = await ownEnrolment(owner.account, deps)
      if (!waiting) return goTo(reply, 'enrol')
      const failed =
        'The code is wrong. Check the clock of your device, and enter the code that it shows now.'
      return refuse(all, enrolmentPage({ csrf: reply.csrf(), ...waiting, failed }))
    }),
  )

  app.get(
    '/manage-second-factor',
    PAGE,
    signed(async (all) => {
      const {
        browser: { account },
        reply,
      } = all
      if (!(await secondFactorState(account, deps)).since) return goTo(reply, 'account')
      return show(all, manageSecondFactorPage({ csrf: reply.csrf(), username: account.username }))
    }),
  )

  app.post(
    '/manage-second-factor',
    FORM,
    signed(async (all) => {
      const { browser, address, parameters, reply } = all
      const owner = { account: browser.account, address }
      if (!(await secondFactorState(owner.account, deps)).since) return goTo(reply, 'account')
      const proof = parameters.get('proof') ?? ''
      const done = await manage(parameters.get('do'), owner, proof)
      if (done.verdict === 'throttled') return throttled(all, done)
      if (done.verdict === 'wrong') {
        const failed = 'This is neither your password nor a valid code.'
        return refuse(
          all,
          manageSecondFactorPage({ csrf: reply.csrf(), username: owner.account.username, failed }),
        )
      }
      if (!done.recoveryCodes) return goTo(reply, 'account')
      return show(all, recoveryCodesPage({ codes: done.recoveryCodes, enrolled: false }))
    }),
  )

  const manage = async (what: string | undefined, owner: Owner, proof: string) => {
    if (what === 'disable') return disableOwnSecondFactor(owner, proof, deps)
    if (what === 'new-codes') return replaceOwnRecoveryCodes(owner, proof, deps)
    throw invalidRequest('The form contains neither "disable" nor "new-codes".')
  }
}
