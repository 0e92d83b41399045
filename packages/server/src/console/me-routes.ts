/** Routes for the pages about the user's own account. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField, noSuchRecord } from '../errors.ts'
import type { ConsoleAsked } from '../http/console/asked.ts'
import { type ConsoleRoutes, GoTo } from '../http/console/console-routes.ts'
import { etagOf } from '../http/management/etag.ts'
import { visibleText } from '../text/visible-text.ts'
import { mePage } from '../web/console/me/me-page.ts'
import {
  endBrowserPage,
  endOthersPage,
  newAgentPage,
  removeAgentPage,
  shownAgentPage,
} from '../web/console/me/own-pages.ts'
import { itemsOf } from '../web/console/tokens/draft.ts'
import { words } from '../web/words/en.ts'
import type { ManagerAuthority, OwnCredentials } from './own-credentials.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.me

type Asked = ConsoleAsked<ManagerAuthority>

export function mePageRoutes({ form }: ConsoleRoutes<ManagerAuthority>, own: OwnCredentials): void {
  const { account, identity } = own

  form('/me', {
    show: async ({ call, form, me, now }) => {
      const reminders = await call(api.myReminders)
      const { browsers } = await call(api.myBrowsers)
      const { agents } = await call(api.myAgents)
      return mePage({
        ...{ form, me, browsers, agents, account, identity, now },
        reminders: { ...reminders, etag: etagOf(reminders) },
      })
    },
    send: async ({ call, fields }) => {
      const isOn = fields.get('reminders') === 'on'
      await call(api.switchMyReminders, { body: { reminders: isOn }, ifMatch: fields.get('etag') })
      return new GoTo('/console/me', isOn ? text.reminders.isOn : text.reminders.isOff)
    },
  })

  form('/me/browsers/:id/end', {
    show: async (asked) => endBrowserPage(asked.form, await browserOf(asked)),
    send: async ({ call, parameters }) => {
      const { kind, current } = await call(api.endMyBrowser, { parameters, body: {} })
      // A page that requires a session would send users to the identity service, where they may still be signed in.
      if (kind === 'management' && current) return new GoTo('/console/')
      return new GoTo('/console/me', text.browsers.ended)
    },
  })

  form('/me/browsers/end', {
    isRecent: true,
    show: async ({ form }) => endOthersPage(form),
    send: async ({ call }) => {
      const { browsers } = await call(api.myBrowsers)
      const mine = browsers.filter(({ current }) => current).map(({ id }) => id)
      const { ended } = await call(api.endMyBrowsers, { body: { all_but: mine } })
      return new GoTo('/console/me', text.browsers.othersEnded(ended))
    },
  })

  form('/me/agents/new', {
    isRecent: true,
    fieldNames: { packages: 'package' },
    show: async ({ form }) => newAgentPage(form),
    send: async ({ authority, fields }) => {
      const limits = {
        permissions: itemsOf(fields, 'permission'),
        packages: itemsOf(fields, 'package'),
        channels: itemsOf(fields, 'channel'),
        storeIds: itemsOf(fields, 'store'),
        maxLifetime: hoursIn(fields.get('hours')),
      }
      return shownAgentPage(await own.addAgent({ authority, name: fields.get('name') ?? '', limits }))
    },
  })

  form('/me/agents/:id/remove', {
    show: async ({ call, form, parameters: { id = '' } }) => {
      const { agents } = await call(api.myAgents)
      if (agents.some(({ name }) => name === id)) return removeAgentPage(form, id)
      throw noSuchRecord(words.me.noSuchAgent, { kind: 'agent', id })
    },
    send: async ({ call, parameters }) => {
      const { name } = await call(api.removeMyAgent, { parameters, body: {} })
      return new GoTo('/console/me', text.agents.removed(visibleText(name, 64)))
    },
  })
}

async function browserOf({ call, parameters: { id = '' } }: Asked) {
  const { browsers } = await call(api.myBrowsers)
  const browser = browsers.find((one) => one.id === id)
  if (browser) return browser
  throw noSuchRecord(words.me.noSuchBrowser, { kind: 'browser', id })
}

/** Returns the lifetime in milliseconds; undefined for an empty field. */
function hoursIn(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const hours = /^[1-9][0-9]{0,3}$/.test(value) ? Number(value) : 0
  if (hours >= 1 && hours <= 8_760) return hours * 3_600_000
  throw invalidField(text.agents.hoursProblem, { field: 'hours' })
}
