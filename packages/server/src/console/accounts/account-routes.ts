/** Routes for the account pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import type { ConsoleRoutes } from '../../http/console/console-routes.ts'
import { type AccountView, accountPage } from '../../web/console/accounts/account-page.ts'
import { accountsPage } from '../../web/console/accounts/list-page.ts'
import { may } from '../../web/console/may.ts'
import { accountChangeRoutes } from './account-change-routes.ts'

const api = MANAGEMENT_OPERATIONS

export function accountPageRoutes(routes: ConsoleRoutes): void {
  const { page } = routes

  page('/accounts', async ({ call, query, me, now }) => {
    const asked = { q: query.get('q')?.toLowerCase(), state: query.get('state'), cursor: query.get('cursor') }
    const { accounts, next, examined } = await call(api.accounts, { query: asked })
    const summaries =
      accounts.length === 0
        ? []
        : (await call(api.accountSummaries, { query: { account: accounts.map(({ id }) => id) } })).summaries
    const mayManage = may(me, 'accounts:manage')
    return accountsPage({ accounts, next, examined, summaries, query, mayManage, now })
  })

  accountChangeRoutes(routes)
  page('/accounts/:id', async (asked) => accountPage(await partsOf(asked)))
}

const SHOWN_TOKENS = 10
const SHOWN_GRANTS = 100
/** The number of agents and identities; the command line lists all. */
const SHOWN_PARTS = 50
const SHOWN_ENTRIES = 15

/** Returns all parts of an account that the user may see. */
async function partsOf({ call, parameters: { id = '' }, me, now }: ConsoleAsked): Promise<AccountView> {
  const account = await call(api.account, { parameters: { id } })
  const ofAccount = { parameters: { id: account.id }, query: { limit: SHOWN_PARTS } }
  const [{ sent_by: sentBy }, { summaries }, agents, identities, grants, tokens, history] = await Promise.all(
    [
      call(api.myReminders),
      call(api.accountSummaries, { query: { account: [account.id] } }),
      call(api.accountAgents, ofAccount),
      call(api.accountIdentities, ofAccount),
      may(me, 'roles:read')
        ? call(api.grants, { query: { account: account.id, limit: SHOWN_GRANTS } })
        : undefined,
      may(me, 'tokens:read')
        ? call(api.tokens, { query: { account: account.id, limit: SHOWN_TOKENS } })
        : undefined,
      may(me, 'audit:read') ? historyOf(account.username, call) : undefined,
    ],
  )
  const [summary = { ...NOTHING, id: account.id, username: account.username }] = summaries
  return {
    ...{ account, summary, history, sentBy, now, me: me.id },
    agents: agents.agents,
    identities: identities.identities,
    more: {
      agents: agents.next !== null,
      identities: identities.next !== null,
      grants: grants !== undefined && grants.next !== null,
    },
    grants: grants?.grants,
    tokens: tokens?.tokens,
    may: {
      manage: summary.may_act && may(me, 'accounts:manage'),
      grant: may(me, 'roles:manage'),
      revoke: summary.may_act && may(me, 'tokens:revoke'),
    },
  }
}

/** The summary of an account that was removed after it was read. */
const NOTHING = { roles: [], may_act: false, agents: 0, newest_session_at: null }

/** Returns the entries by the account and about it, newest first. */
async function historyOf(username: string, call: ConsoleAsked['call']) {
  const limit = SHOWN_ENTRIES
  const [about, by] = await Promise.all([
    call(api.audit, { query: { subject: username, limit } }),
    call(api.audit, { query: { actor: `account:${username}`, limit } }),
  ])
  const entries = new Map([...about.entries, ...by.entries].map((entry) => [entry.id, entry]))
  return [...entries.values()]
    .sort((one, other) => (one.at === other.at ? (one.id < other.id ? 1 : -1) : one.at < other.at ? 1 : -1))
    .slice(0, SHOWN_ENTRIES)
}
