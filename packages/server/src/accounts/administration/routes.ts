/** Accounts in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { undone } from '../../change.ts'
import type { AddManagementRoute, Asked } from '../../http/management/management-route.ts'
import { cursorOf, positionIn } from '../../http/management/pages.ts'
import { addAccount } from '../add.ts'
import { disableAccount, enableAccount } from '../disable.ts'
import { listAccounts } from '../list.ts'
import { accountRecord, accountRecords } from './account-record.ts'
import { type AccountChange, editAccount } from './edit-account.ts'
import { makePasswordLink, type PasswordLinkDeps } from './password-link.ts'
import { identityRecord, listIdentities, showAccount, summarizeAccounts } from './show-account.ts'

export function accountManagementRoutes(add: AddManagementRoute, deps: PasswordLinkDeps): void {
  const api = MANAGEMENT_OPERATIONS
  // A dry run also does not sign out any browser.
  const tried = ({ dryRun }: { readonly dryRun: boolean }): PasswordLinkDeps =>
    dryRun
      ? {
          ...deps,
          changeBy: undone(deps.changeBy),
          signInSessions: { ...deps.signInSessions, removeAllOf: async () => {} },
        }
      : deps

  add(api.accounts, async ({ authority, query }) => {
    const { q: beginning, state, limit } = query
    const [after] = positionIn(query, 1) ?? []
    const listing = {
      authority,
      filter: { beginning, state },
      after,
      ...(limit === undefined ? {} : { limit }),
    }
    const { accounts, next, examined } = await listAccounts(listing, deps)
    return {
      accounts: await accountRecords(accounts, deps),
      next: cursorOf(next === undefined ? next : [next], query),
      ...(examined === undefined ? {} : { examined }),
    }
  })
  add(api.accountSummaries, async ({ authority, query: { account: accounts } }) => ({
    summaries: await summarizeAccounts({ accounts, authority }, deps),
  }))
  add(api.addAccount, async (asked) => {
    const { authority, body } = asked
    return accountRecord(await addAccount({ ...body, authority }, tried(asked)), deps)
  })
  add(api.account, async (asked) => accountRecord(await showAccount(namedIn(asked), deps), deps))
  add(api.editAccount, async (asked) => {
    const { name, email, reminders } = asked.body
    const edit = { ...changeOf(asked), name, email, reminders }
    return accountRecord(await editAccount(edit, tried(asked)), deps)
  })
  add(api.disableAccount, async (asked) =>
    accountRecord(await disableAccount(changeOf(asked), tried(asked)), deps),
  )
  add(api.enableAccount, async (asked) =>
    accountRecord(await enableAccount(changeOf(asked), tried(asked)), deps),
  )
  add(api.linkToPassword, async (asked) =>
    makePasswordLink({ ...namedIn(asked), dryRun: asked.dryRun }, tried(asked)),
  )

  add(api.accountIdentities, async (asked) => {
    const { query } = asked
    const [issuer, subject] = positionIn(query, 2) ?? []
    const after = issuer === undefined || subject === undefined ? undefined : { issuer, subject }
    const listing = { ...namedIn(asked), after, limit: query.limit ?? 100 }
    const { rows, next } = await listIdentities(listing, deps)
    return {
      identities: rows.map(identityRecord),
      next: cursorOf(next && [next.issuer, next.subject], query),
    }
  })
}

interface AnyAsked extends Pick<Asked<typeof MANAGEMENT_OPERATIONS.account>, 'parameters' | 'authority'> {
  readonly ifMatch?: (record: object) => void
}

const namedIn = ({ parameters, authority }: AnyAsked) => ({ account: parameters['id'] ?? '', authority })

const changeOf = ({ ifMatch, ...asked }: AnyAsked): AccountChange => ({
  ...namedIn(asked),
  mustBeSeen: ifMatch,
})
