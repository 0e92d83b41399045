/** Routes for the pages about the tokens of all accounts. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { requireTyped, seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { midnightOf } from '../../http/console/fields.ts'
import { noneWithoutAccount, orAbsent } from '../../http/console/problem.ts'
import { etagOf } from '../../http/management/etag.ts'
import { allTokensPage } from '../../web/console/all-tokens/list-page.ts'
import {
  anyTokenPage,
  nothingChosenPage,
  revokeAnyPage,
  revokeSomePage,
} from '../../web/console/all-tokens/token-page.ts'
import { may } from '../../web/console/may.ts'
import type { Session } from '../../web/console/records.ts'
import { nameOf } from '../../web/console/tokens/list-page.ts'
import { words } from '../../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.allTokens.revokePage

export function allTokenPageRoutes({ page, form }: ConsoleRoutes): void {
  page('/all-tokens', async (asked) => {
    const { call, query, now } = asked
    const { tokens, next } = await call(api.tokens, {
      query: {
        ...{ q: query.get('q'), account: query.get('account'), state: query.get('state') },
        ...{ kind: query.get('kind'), cursor: query.get('cursor') },
        ends_before: midnightOf(query.get('ends_before')),
        unused_since: midnightOf(query.get('unused_since')),
      },
    }).catch(noneWithoutAccount({ tokens: [], next: null }))
    const mayRevoke = await revocable(asked, [...new Set(tokens.map(({ username }) => username))])
    return allTokensPage({ tokens, next, query, mayRevoke, now })
  })

  page('/all-tokens/:id', async (asked) => {
    const { call, parameters, me, now } = asked
    const token = await call(api.token, { parameters })
    const mayRevoke = (await revocable(asked, [token.username]))(token.username)
    return anyTokenPage({ token, mayRevoke, mayAudit: may(me, 'audit:read'), now })
  })

  form('/all-tokens/:id/revoke', {
    show: async ({ call, form, parameters }) => {
      const token = await call(api.token, { parameters })
      // Users without the permission are refused before they type.
      await call(api.revokeToken, { parameters, body: {}, dryRun: true })
      return revokeAnyPage({ form, token, etag: etagOf(token) })
    },
    send: async ({ call, fields, parameters }) => {
      requireTyped(fields, (await call(api.token, { parameters })).username)
      const token = await call(api.revokeToken, { parameters, body: {}, ifMatch: seenIn(fields) })
      return new GoTo('/console/all-tokens', text.done(nameOf(token), token.username))
    },
  })

  form('/all-tokens/revoke', {
    isRecent: true,
    show: async (asked) => {
      const { form, fields } = asked
      const ids = chosenIn(fields)
      if (ids.length === 0) return nothingChosenPage()
      const preview = await previewOf(asked, ids)
      return revokeSomePage({ form, ids, preview, first: await firstOf(asked, preview.first) })
    },
    send: async (asked) => {
      const { call, fields } = asked
      const ids = chosenIn(fields)
      if (ids.length === 0) throw invalidField(text.nothingWhat)
      requireTyped(fields, text.typed((await previewOf(asked, ids)).total))
      const job = await call(api.makeJob, { body: { kind: 'tokens.revoke', ids } })
      if (!('id' in job)) throw new TypeError('The new job has no id')
      return new GoTo(`/console/jobs/${job.id}`, text.job)
    },
  })
}

const chosenIn = ({ all }: ConsoleAsked['fields']): string[] => [...new Set(all('session'))]

async function previewOf({ call }: ConsoleAsked, ids: string[]) {
  const preview = await call(api.makeJob, { body: { kind: 'tokens.revoke', ids }, dryRun: true })
  if (!('examined' in preview)) throw new TypeError('The dry run did not return a preview')
  return preview
}

const SHOWN = 20

/** Returns the first tokens that still exist. */
async function firstOf({ call }: ConsoleAsked, ids: readonly string[]): Promise<Session[]> {
  const tokens = await Promise.all(
    ids.slice(0, SHOWN).map((id) => call(api.token, { parameters: { id } }).catch(orAbsent)),
  )
  return tokens.filter((token) => token !== undefined)
}

/** Returns a function that checks whether the user may revoke tokens of one of these accounts. */
async function revocable({ call, me }: ConsoleAsked, usernames: readonly string[]) {
  if (usernames.length === 0 || !may(me, 'tokens:revoke') || !may(me, 'accounts:read')) return () => false
  const { summaries } = await call(api.accountSummaries, { query: { account: [...usernames] } })
  const within = new Set(summaries.filter(({ may_act }) => may_act).map(({ username }) => username))
  return (username: string) => within.has(username)
}
