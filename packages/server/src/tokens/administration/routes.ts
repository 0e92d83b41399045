/** The sessions of tokens in the management API: HTTP in, operation, HTTP out. */
import { isSessionId } from '@ratafia/api'
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { tried } from '../../change.ts'
import { instantField } from '../../http/management/instant-text.ts'
import type { AddManagementRoute, Asked } from '../../http/management/management-route.ts'
import { cursorOf, instantOf, positionIn } from '../../http/management/pages.ts'
import type { Stores } from '../../stores.ts'
import { type ListedSession, type SessionPosition, sessionRecord, usedSessionRecord } from '../session.ts'
import { pageOfSessions, type SessionPage, showSession } from './list-sessions.ts'
import { revokeMine } from './revoke-mine.ts'
import { revokeSession, type SessionChange } from './revoke-session.ts'
import { shortenSession } from './shorten-session.ts'

interface SessionRouteDeps extends Stores {
  /** Returns the account with this username or id. Throws `no-such-record`. */
  readonly accountIdOf: (nameOrId: string) => Promise<ListedSession['accountId']>
}

export function sessionManagementRoutes(add: AddManagementRoute, deps: SessionRouteDeps): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.myTokens, async ({ authority, query }) => {
    const asked = { ...listingIn(query), authority, accountId: authority.accountId }
    return listOf(await pageOfSessions(asked, deps), query)
  })
  add(api.myToken, async ({ authority, parameters: { id = '' } }) =>
    sessionRecord(await showSession({ sessionId: id, authority, own: true }, deps)),
  )
  add(api.revokeMyToken, async (asked) => {
    const { session } = await revokeSession({ ...changeOf(asked), own: true }, tried(asked, deps))
    return sessionRecord(session)
  })
  add(api.shortenMyToken, async (asked) => {
    const until = instantField('body/until', asked.body.until)
    return sessionRecord(await shortenSession({ ...changeOf(asked), until }, tried(asked, deps)))
  })
  add(api.revokeMyTokens, async (asked) =>
    revokeMine({ authority: asked.authority, allBut: asked.body?.all_but ?? [] }, tried(asked, deps)),
  )
  add(api.tokens, async ({ authority, query }) => {
    const { account, ends_before } = query
    const accountId = account === undefined ? undefined : await deps.accountIdOf(account)
    const endsBefore = ends_before === undefined ? undefined : instantField('query/ends_before', ends_before)
    const asked = { ...listingIn(query), authority, accountId, endsBefore }
    return listOf(await pageOfSessions(asked, deps), query)
  })
  add(api.token, async ({ authority, parameters: { id = '' } }) =>
    sessionRecord(await showSession({ sessionId: id, authority }, deps)),
  )
  add(api.revokeToken, async (asked) => {
    const { session } = await revokeSession(changeOf(asked), tried(asked, deps))
    return sessionRecord(session)
  })
}

const listOf = ({ sessions, next }: SessionPage, query: object) => ({
  tokens: sessions.map(usedSessionRecord),
  next: cursorOf(next && [next.at.toISOString(), next.id], query),
})

type Query = Asked<typeof MANAGEMENT_OPERATIONS.myTokens>['query']

const listingIn = (query: Query) => ({
  ...{ limit: query.limit ?? 100, state: query.state ?? 'active', kind: query.kind },
  ...{ ci: query.ci, rule: query.rule, text: query.q },
  unusedSince:
    query.unused_since === undefined ? undefined : instantField('query/unused_since', query.unused_since),
  after: sessionIn(query),
})

/** Reads the cursor. An invalid cursor starts from the first page. */
function sessionIn(query: { readonly cursor?: string }): SessionPosition | undefined {
  const [text = '', id = ''] = positionIn(query, 2) ?? []
  const at = instantOf(text)
  return at && isSessionId(id) ? { at, id } : undefined
}

interface AnyAsked extends Pick<Asked<typeof MANAGEMENT_OPERATIONS.revokeToken>, 'parameters' | 'authority'> {
  readonly ifMatch?: (record: object) => void
}

const changeOf = ({ parameters, authority, ifMatch }: AnyAsked): SessionChange => ({
  sessionId: parameters['id'] ?? '',
  authority,
  ...(ifMatch && { mustBeSeen: (now: ListedSession) => ifMatch(sessionRecord(now)) }),
})
