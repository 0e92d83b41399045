/** Routes for the pages about publishing from CI. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField, RequestError } from '../errors.ts'
import type { ConsoleAsked } from '../http/console/asked.ts'
import { requireTyped } from '../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../http/console/console-routes.ts'
import { NO_FIELDS } from '../http/console/fields.ts'
import { claimField, ruleIssuer } from '../web/console/publishers/claims.ts'
import { publishersPage, rulePath } from '../web/console/publishers/list-page.ts'
import { newPublisherPage } from '../web/console/publishers/new-page.ts'
import { draftRuleIn } from '../web/console/publishers/rule-draft.ts'
import { publisherPage, removePublisherPage, testPublisherPage } from '../web/console/publishers/rule-page.ts'
import { words } from '../web/words/en.ts'
import type { ManagerAuthority, OwnPublishers } from './own-credentials.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.publishers

type Asked = ConsoleAsked<ManagerAuthority>
type Routes = ConsoleRoutes<ManagerAuthority>

export function publisherPageRoutes({ page, form }: Routes, own: OwnPublishers): void {
  page('/publishers', async ({ call, query, now }) => {
    const { publishers, next } = await call(api.myPublishers, { query: { cursor: query.get('cursor') } })
    return publishersPage({ publishers, next, query, now })
  })

  page('/publishers/rules/:id', async ({ call, parameters, now }) =>
    publisherPage({ publisher: await call(api.myPublisher, { parameters }), baseUrl: own.baseUrl, now }),
  )

  form('/publishers/rules/:id/remove', {
    show: async ({ call, parameters, form }) =>
      removePublisherPage({ form, would: await call(api.removeMyPublisher, { parameters, dryRun: true }) }),
    send: async ({ call, parameters, fields }) => {
      const { name } = await call(api.myPublisher, { parameters })
      requireTyped(fields, name)
      const { revoked } = await call(api.removeMyPublisher, { parameters, body: {} })
      return new GoTo('/console/publishers', text.remove.done(name, revoked))
    },
  })

  form('/publishers/rules/:id/test', {
    onlyReads: true,
    show: async ({ call, parameters, form }) => {
      const { name } = await call(api.myPublisher, { parameters })
      return testPublisherPage({ form: withoutIdToken(form), name, tested: undefined })
    },
    send: async ({ call, parameters, fields, form }) => {
      const body = claimsIn(fields.get('claims'))
      const tested = await call(api.testMyPublisher, { parameters, body }).catch(
        asField('claims', 'body/id_token'),
      )
      return testPublisherPage({ form: withoutIdToken(form), name: tested.rule, tested })
    },
  })

  newRoutes(form, own)
}

function newRoutes(form: Routes['form'], own: OwnPublishers): void {
  const issuersIn = async ({ call, fields }: Asked) => {
    const issuers = (await call(api.issuers)).issuers.map(ruleIssuer)
    return { issuers, issuer: issuers.find(({ url }) => url === fields.get('issuer')) }
  }
  const formPage = (
    { form: state, me }: Pick<Asked, 'form' | 'me'>,
    issuers: Awaited<ReturnType<typeof issuersIn>>,
    project?: string,
  ) =>
    newPublisherPage({
      ...{ form: state, ...issuers, project },
      mostMinutes: Math.floor(own.mostLifetime / 60),
      username: me.username,
    })

  form('/publishers/new', {
    onlyReads: ({ get }) => get('do') === 'look-up',
    fieldNames: { permission: 'permissions', package: 'packages', channel: 'channels', store: 'stores' },
    show: async (asked) => {
      // Asks for a sign-in before the user types. A form that was sent is still shown again: the operation asks, and
      // keeps it.
      if (!asked.form.isAgain) own.requireJustSignedIn(asked.authority, asked.now)
      return formPage(asked, await issuersIn(asked))
    },
    send: async (asked) => {
      const { authority, fields } = asked
      const known = await issuersIn(asked)
      const { issuer } = known
      if (!issuer) throw invalidField(text.problems.issuer, { field: 'issuer' })
      if (fields.get('do') === 'look-up') {
        const address = fields.get('project')
        if (address === undefined) throw invalidField(text.problems.project, { field: 'project' })
        const { project, ids } = await own
          .lookUp({ authority, issuer: issuer.url, address })
          .catch(asField('project', 'from-url'))
        return formPage({ ...asked, form: withIds(asked.form, issuer, ids) }, known, project)
      }
      const { name } = await own.add({ authority, ...draftRuleIn(fields, issuer) })
      return new GoTo(rulePath(name), text.made(name))
    },
  })
}

/** Moves the operation's error about its own field to the form's field. Use it with `catch`. */
const asField =
  (field: string, own: string) =>
  (error: unknown): never => {
    throw error instanceof RequestError && error.code === 'invalid-field' && error.extra['field'] === own
      ? invalidField(error.message, { field })
      : error
  }

/** Returns the form with the ids that were found. */
function withIds(
  form: Asked['form'],
  { claims }: ReturnType<typeof ruleIssuer>,
  ids: Readonly<Record<string, string>>,
): Asked['form'] {
  const found = new Map(
    claims.flatMap(({ name }, index) => (ids[name] ? [[claimField(index), ids[name]]] : [])),
  )
  return {
    ...{ ...form, isAgain: true },
    fields: {
      get: (name) => found.get(name) ?? form.fields.get(name),
      all: (name) => form.fields.all(name),
    },
  }
}

/** Drops an ID token, because it can be exchanged until it expires. Claims alone are not secret, so they stay. */
function withoutIdToken(form: Asked['form']): Asked['form'] {
  const claims = form.fields.get('claims')
  return claims?.startsWith('{') ? form : { ...form, fields: NO_FIELDS }
}

function claimsIn(typed: string | undefined): { id_token: string } | { claims: Record<string, unknown> } {
  if (typed === undefined) throw invalidField(text.test.nothing, { field: 'claims' })
  if (!typed.startsWith('{')) return { id_token: typed.replace(/\s+/g, '') }
  try {
    return { claims: JSON.parse(typed) }
  } catch {
    throw invalidField(text.test.noJson, { field: 'claims' })
  }
}
