/** Routes for the forms that change accounts. */
import { isRole } from '@ratafia/api'
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { refuseBeforeTypingForAll } from '../../http/console/before-typing.ts'
import { refusalIn, requireTyped, seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { etagOf } from '../../http/management/etag.ts'
import {
  accountStaysPage,
  disablePage,
  enablePage,
  linkShownPage,
  passwordLinkPage,
  removeAgentPage,
} from '../../web/console/accounts/change-pages.ts'
import { editAccountPage, newAccountPage } from '../../web/console/accounts/form-pages.ts'
import { accountPath } from '../../web/console/accounts/list-page.ts'
import type { ConsoleContent } from '../../web/console/layout.ts'
import { may } from '../../web/console/may.ts'
import { words } from '../../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.accounts

export function accountChangeRoutes({ form }: ConsoleRoutes): void {
  form('/accounts/new', {
    isRecent: true,
    show: async ({ authority, call, form, me }) => {
      refuseBeforeTypingForAll(authority, 'accounts:manage')
      const { sent_by: sentBy } = await call(api.myReminders)
      return newAccountPage({ form, sentBy, mayGrant: may(me, 'roles:manage') })
    },
    send: makeAccount,
  })

  form('/accounts/:id/edit', {
    show: async (asked) => {
      const { call, form, fields, parameters } = asked
      const account = await call(api.account, { parameters })
      const etag = etagOf(account)
      // This dry run checks the permission, and lets users sign in again before they type.
      await call(api.editAccount, { parameters, body: {}, ifMatch: '*', dryRun: true })
      const { sent_by: sentBy } = await call(api.myReminders)
      const hasChanged = form.isAgain && fields.get('seen') !== etag
      return editAccountPage({ form, account, etag, hasChanged, sentBy })
    },
    send: async ({ call, fields, parameters }) => {
      const body = {
        name: fields.get('name') ?? '',
        email: fields.get('email') ?? '',
        reminders: fields.get('reminders') === 'on',
      }
      const account = await call(api.editAccount, { parameters, body, ifMatch: seenIn(fields) })
      return new GoTo(accountPath(account), text.editPage.done(account.username))
    },
  })

  const switches = {
    disable: { operation: api.disableAccount, page: disablePage, done: text.disablePage.done },
    enable: { operation: api.enableAccount, page: enablePage, done: text.enablePage.done },
  } as const
  for (const [verb, { operation, page, done }] of Object.entries(switches)) {
    form(`/accounts/:id/${verb}`, {
      show: async ({ call, form, parameters }) => {
        const account = await call(api.account, { parameters })
        const refusal = await refusalIn(call(operation, { parameters, body: {}, dryRun: true }))
        if (refusal) return accountStaysPage(account, refusal.message)
        return page({ form, account, etag: etagOf(account) })
      },
      send: async ({ call, fields, parameters }) => {
        const account = await call(operation, { parameters, body: {}, ifMatch: seenIn(fields) })
        return new GoTo(accountPath(account), done(account.username))
      },
    })
  }

  form('/accounts/:id/password-link', {
    isRecent: true,
    show: async ({ call, form, parameters }) => {
      const account = await call(api.account, { parameters })
      const refusal = await refusalIn(call(api.linkToPassword, { parameters, body: {}, dryRun: true }))
      return refusal ? accountStaysPage(account, refusal.message) : passwordLinkPage({ form, account })
    },
    send: async ({ call, parameters }) => {
      const account = await call(api.account, { parameters })
      const link = await call(api.linkToPassword, { parameters, body: {} })
      return linkShownPage({ account, link, isNew: false })
    },
  })

  form('/accounts/:id/agents/:name/remove', {
    show: async ({ call, form, parameters }) => {
      const account = await call(api.account, { parameters })
      const agent = await call(api.removeAgent, { parameters, body: {}, dryRun: true })
      return removeAgentPage({ form, account, agent, etag: etagOf(agent) })
    },
    send: async ({ call, fields, parameters }) => {
      requireTyped(fields, parameters['name'] ?? '')
      const account = await call(api.account, { parameters })
      const agent = await call(api.removeAgent, { parameters, body: {}, ifMatch: seenIn(fields) })
      return new GoTo(accountPath(account), text.agentPage.done(agent.name))
    },
  })
}

/** Creates the account, grants its role, and shows the set-password link. */
async function makeAccount({ call, fields, me }: ConsoleAsked): Promise<GoTo | ConsoleContent> {
  const role = fields.get('role')
  const brand = fields.get('brand')
  // Tries the grant on the user's own account before creating the new one. Otherwise a form that is sent again after a
  // failed grant would find the username taken. It does not matter if the user already has the role.
  if (role !== undefined || brand !== undefined) {
    const refusal = await refusalIn(call(api.addGrant, { body: grantOf(me.id, role, brand), dryRun: true }))
    if (refusal && refusal.code !== 'already-exists') throw refusal
  }
  const noLink = await refusalIn(
    call(api.linkToPassword, { parameters: { id: me.id }, body: {}, dryRun: true }),
  )
  const account = await call(api.addAccount, {
    body: {
      username: fields.get('username') ?? '',
      name: fields.get('name') ?? '',
      email: fields.get('email') ?? '',
    },
  })
  if (role !== undefined) await call(api.addGrant, { body: grantOf(account.id, role, brand) })
  if (noLink) {
    return new GoTo(accountPath(account), text.linkShown.withoutLink(account.username, noLink.message))
  }
  const link = await call(api.linkToPassword, { parameters: { id: account.id }, body: {} })
  return linkShownPage({ account, link, isNew: true })
}

function grantOf(account: string, role = '', brand: string | undefined) {
  if (isRole(role)) return { account, role, brand }
  throw invalidField(words.grants.addPage.noRole, { field: 'role' })
}
