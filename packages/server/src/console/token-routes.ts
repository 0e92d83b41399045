/** Routes for the pages about the user's own tokens. */
import { MANAGEMENT_OPERATIONS, type SessionsSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { invalidField, RequestError } from '../errors.ts'
import type { ConsoleAsked } from '../http/console/asked.ts'
import { requireTyped } from '../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../http/console/console-routes.ts'
import { type DraftBefore, draftTokenIn, endIn, filledIn, limitsIn } from '../web/console/tokens/draft.ts'
import { type JobSessions, nameOf, tokensPage } from '../web/console/tokens/list-page.ts'
import { type NewTokenPage, newTokenPage, shownTokenPage, usualLife } from '../web/console/tokens/new-page.ts'
import {
  explainPage,
  revokeAllPage,
  revokeManyPage,
  revokePage,
  shortenPage,
  tokenPage,
} from '../web/console/tokens/token-page.ts'
import { words } from '../web/words/en.ts'
import type { ManagerAuthority, OwnCredentials } from './own-credentials.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.tokens

type Asked = ConsoleAsked<ManagerAuthority>
type Routes = ConsoleRoutes<ManagerAuthority>

export function tokenPageRoutes(routes: Routes, own: OwnCredentials): void {
  const { page, form } = routes

  page('/tokens', async ({ call, query, me, now }) => {
    const rule = query.get('rule')
    const filters = { q: query.get('q'), state: query.get('state'), kind: query.get('kind'), rule }
    const ci = rule === undefined ? 'none' : undefined
    const { tokens, next } = await call(api.myTokens, {
      query: { ...filters, ci, cursor: query.get('cursor') },
    })
    const soon = await call(api.myTokens, { query: { state: 'ending', limit: '5' } })
    const jobs = rule === undefined ? await call(api.myTokens, { query: { ci: 'only' } }) : undefined
    return tokensPage({
      ...{ tokens, next, query, ending: soon.tokens, current: me.session_id, now },
      jobs: jobs ? sessionsByRule(jobs) : [],
    })
  })

  page('/tokens/:id', async ({ call, parameters, me, now }) =>
    tokenPage({ token: await call(api.myToken, { parameters }), current: me.session_id, now }),
  )

  page(
    '/tokens/:id/rotate',
    async ({ parameters: { id = '' } }) => new GoTo(`/console/tokens/new?from=${encodeURIComponent(id)}`),
  )

  form('/tokens/:id/revoke', {
    show: async ({ call, parameters, me, form }) =>
      revokePage({ form, token: await call(api.myToken, { parameters }), current: me.session_id }),
    send: async ({ call, parameters, me }) => {
      const token = await call(api.revokeMyToken, { parameters, body: {} })
      return revoked(text.revokePage.done(nameOf(token)), { isHere: token.session_id === me.session_id })
    },
  })

  form('/tokens/:id/shorten', {
    fieldNames: { until: 'ends' },
    show: async ({ call, parameters, form, now }) =>
      shortenPage({ form, token: await call(api.myToken, { parameters }), now }),
    send: async ({ call, parameters, fields, now }) => {
      const until = daysAheadIn(fields.get('ends'), { field: 'ends', now }).toISOString()
      const token = await call(api.shortenMyToken, { parameters, body: { until } })
      return new GoTo(
        `/console/tokens/${token.session_id}`,
        text.shortenPage.done(new Date(token.valid_until)),
      )
    },
  })

  form('/tokens/explain', {
    onlyReads: true,
    show: async ({ form, now }) => explainPage({ form, explanation: undefined, now }),
    send: async ({ call, fields, form, now }) => {
      const token = fields.get('token')
      if (token === undefined) throw invalidField(text.explainPage.problem, { field: 'token' })
      return explainPage({ form, explanation: await call(api.explainToken, { body: { token } }), now })
    },
  })

  revokeRoutes(routes)
  newTokenRoutes(routes, own)
}

/** Counts the newest hundred sessions by rule. `more` is set if there are older ones. */
function sessionsByRule({ tokens, next }: Static<typeof SessionsSchema>): readonly JobSessions[] {
  const byRule = Map.groupBy(tokens, ({ rule }) => rule ?? '')
  return [...byRule]
    .map(([rule, sessions]) => ({ rule, sessions: sessions.length, more: next !== null }))
    .toSorted((a, b) => (a.rule < b.rule ? -1 : 1))
}

function revokeRoutes({ form }: Routes): void {
  const chosen = async ({ call, fields }: Asked) => {
    const ids = [...new Set(fields.all('session'))]
    if (ids.length === 0) throw invalidField(text.revokePage.nothingChosen)
    return Promise.all(ids.slice(0, 100).map((id) => call(api.myToken, { parameters: { id } })))
  }

  form('/tokens/revoke', {
    show: async (asked) => {
      const { form, me } = asked
      return revokeManyPage({ form, tokens: await chosen(asked), current: me.session_id })
    },
    send: async (asked) => {
      const tokens = await chosen(asked)
      requireTyped(asked.fields, text.revokePage.typed(tokens.length))
      for (const { session_id: id } of tokens) {
        await asked.call(api.revokeMyToken, { parameters: { id }, body: {} })
      }
      const isHere = tokens.some(({ session_id: id }) => id === asked.me.session_id)
      return revoked(text.revokePage.manyDone(tokens.length), { isHere })
    },
  })

  form('/tokens/revoke-all', {
    isRecent: true,
    show: async ({ form }) => revokeAllPage({ form }),
    send: async (asked) => {
      const { call, fields, me } = asked
      requireTyped(asked.fields, text.revokePage.all)
      const isKept = fields.get('keep') === 'on'
      const body = isKept ? { all_but: [me.session_id] } : {}
      let ended = 0
      // Each request revokes up to a thousand. A user with very many more does not wait for all of them here.
      for (let round = 0; round < 20; round++) {
        const answer = await call(api.revokeMyTokens, { body })
        ended += answer.revoked
        if (!answer.more) break
      }
      return revoked(text.revokePage.manyDone(ended), { isHere: !isKept })
    },
  })
}

/** `isHere`: this browser's session was revoked; a page that requires a session would sign it in again at once. */
const revoked = (notice: string, { isHere }: { readonly isHere: boolean }): GoTo =>
  isHere ? new GoTo('/console/') : new GoTo('/console/tokens', notice)

const DAY_MS = 86_400_000

function newTokenRoutes({ form }: Routes, own: OwnCredentials): void {
  const { mostLifetime } = own

  /** Returns the user's own token that the new one is modelled on. */
  const before = async ({ call, fields }: Asked) => {
    const id = fields.get('from')
    return id === undefined ? undefined : call(api.myToken, { parameters: { id } })
  }

  const formPage = async (asked: Asked) => {
    const { call, form, fields, me, now } = asked
    const replaced = await before(asked)
    const draft = { description: replaced?.description ?? '', limits: replaced?.limits ?? undefined }
    const { at } = me.signed_in
    const content: NewTokenPage = {
      ...{
        form,
        draft,
        mostLifetime,
        now,
        reminders: await call(api.myReminders),
        signedInAt: at === null ? undefined : new Date(at),
      },
      asked: askedFor(fields, { limits: draft.limits, life: usualLife(mostLifetime), now }),
      replaces: replaced && {
        id: replaced.session_id,
        name: nameOf(replaced),
        isRecorded: replaced.limits !== null,
      },
    }
    return newTokenPage(content)
  }

  form('/tokens/new', {
    isRecent: true,
    onlyReads: (fields) => fields.get('do') === 'look',
    fieldNames: { expires: 'life', store_ids: 'stores' },
    show: formPage,
    send: async (asked) => {
      const { authority, fields, form, now } = asked
      const { description, limits, until } = draftTokenIn(fields, { now })
      if (fields.get('do') === 'look') return formPage({ ...asked, form: { ...form, isAgain: true } })
      const replaced = await before(asked)
      const ends = replaced && overlapIn(fields.get('overlap'), now)
      const made = await own.makeToken({
        authority,
        wanted: {
          ...{ description, expires: until },
          permissions: limits.permissions ?? undefined,
          packages: limits.packages ?? undefined,
          channels: limits.channels ?? undefined,
          storeIds: limits.store_ids ?? undefined,
        },
        replaces: replaced && ends ? { sessionId: replaced.session_id, until: ends } : undefined,
      })
      const { baseUrl } = own
      return shownTokenPage({
        ...{ made, baseUrl },
        replaced: replaced && ends && { name: nameOf(replaced), until: ends },
      })
    },
  })
}

/** Returns the time when the replaced token expires; undefined if its expiry stays unchanged. */
function overlapIn(value: string | undefined, now: Date): Date | undefined {
  return value === 'keep' ? undefined : daysAheadIn(value, { field: 'overlap', now })
}

function daysAheadIn(
  value: string | undefined,
  { field, now }: { readonly field: string; readonly now: Date },
): Date {
  if (value === undefined || !/^(0|1|7|30)$/.test(value)) {
    throw invalidField(text.newPage.problems.life, { field })
  }
  // A minute less than 30 days, because time passes until the operation checks the limit.
  return new Date(now.getTime() + Number(value) * DAY_MS - (value === '30' ? 60_000 : 0))
}

/** Returns the limits and the expiry for the page's summary; undefined while a field is missing. */
function askedFor(
  fields: Asked['fields'],
  { now, ...draft }: DraftBefore & { readonly now: Date },
): NewTokenPage['asked'] {
  // A form that was sent has no defaults, because browsers do not send a cleared checkbox.
  const shown = fields.has('csrf') ? fields : filledIn(fields, draft)
  try {
    return { limits: limitsIn(shown), until: endIn(shown, now) }
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}
