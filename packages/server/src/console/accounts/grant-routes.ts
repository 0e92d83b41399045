/** Routes for the grant pages. */
import { isRole } from '@ratafia/api'
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { refuseBeforeTypingForAll } from '../../http/console/before-typing.ts'
import { refusalIn, requireTyped, seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { midnightOf } from '../../http/console/fields.ts'
import { asFieldOfAccount, noneWithoutAccount } from '../../http/console/problem.ts'
import { etagOf } from '../../http/management/etag.ts'
import { visibleText } from '../../text/visible-text.ts'
import {
  addGrantPage,
  grantStaysPage,
  type OlderAgents,
  removeGrantPage,
} from '../../web/console/grants/change-pages.ts'
import { grantsPage } from '../../web/console/grants/list-page.ts'
import { may } from '../../web/console/may.ts'
import { words } from '../../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.grants

export function grantPageRoutes({ page, form }: ConsoleRoutes): void {
  page('/grants', async ({ call, query, me, now }) => {
    const asked = {
      ...{ account: query.get('account'), role: query.get('role'), brand: query.get('brand') },
      cursor: query.get('cursor'),
    }
    const { grants, next } = await call(api.grants, { query: asked }).catch(
      noneWithoutAccount({ grants: [], next: null }),
    )
    return grantsPage({ grants, next, query, mayManage: may(me, 'roles:manage'), me: me.id, now })
  })

  form('/grants/new', {
    isRecent: true,
    fieldNames: { agents: 'agent' },
    show: async ({ authority, call, form }) => {
      refuseBeforeTypingForAll(authority, 'roles:manage')
      return addGrantPage({ form, older: await olderAgents(form.fields.get('account'), call) })
    },
    send: async ({ call, fields }) => {
      const role = fields.get('role') ?? ''
      if (!isRole(role)) throw invalidField(text.addPage.noRole, { field: 'role' })
      const account = fields.get('account') ?? ''
      const older = await olderAgents(account, call)
      if (older && fields.get('agents_of') !== account) {
        throw invalidField(text.addPage.lookAtAgents(visibleText(account, 64)), { field: 'agent' })
      }
      const body = {
        ...{ account, role, brand: fields.get('brand'), agents: [...fields.all('agent')] },
        expires: midnightOf(fields.get('expires')),
      }
      const grant = await call(api.addGrant, { body }).catch(asFieldOfAccount)
      const done = text.addPage.done(grant.account, grant.role)
      return new GoTo(`/console/grants?account=${encodeURIComponent(grant.account)}`, done)
    },
  })

  form('/grants/:id/remove', {
    isRecent: true,
    show: async ({ call, form, parameters }) => {
      const tried = call(api.removeGrant, { parameters, body: {}, dryRun: true })
      const refusal = await refusalIn(tried)
      if (refusal) return grantStaysPage({ message: refusal.message })
      const grant = await tried
      return removeGrantPage({ form, grant, etag: etagOf(grant) })
    },
    send: async ({ call, fields, parameters }) => {
      const { account } = await call(api.removeGrant, { parameters, body: {}, dryRun: true })
      requireTyped(fields, account)
      const { role } = await call(api.removeGrant, { parameters, body: {}, ifMatch: seenIn(fields) })
      return new GoTo('/console/grants', text.removePage.done(account, role))
    },
  })
}

/** Returns the agents of the account, as many as a page shows; undefined for no account, or one without agents. */
async function olderAgents(
  account: string | undefined,
  call: ConsoleAsked['call'],
): Promise<OlderAgents | undefined> {
  if (account === undefined) return undefined
  const asked = { parameters: { id: account }, query: { limit: 100 } }
  const { agents } = await call(api.accountAgents, asked).catch(
    noneWithoutAccount({ agents: [], next: null }),
  )
  return agents.length === 0 ? undefined : { account, names: agents.map(({ name }) => name) }
}
