/** Accounts that tests make and change as the operator does. */
import type { Account } from '../../src/accounts/account.ts'
import * as adding from '../../src/accounts/add.ts'
import * as disabling from '../../src/accounts/disable.ts'
import * as enabling from '../../src/accounts/enable.ts'
import type { MadeLink } from '../../src/accounts/one-time-links/link.ts'
import * as linking from '../../src/accounts/one-time-links/reset-link.ts'
import * as removing from '../../src/identity/agents/remove-agent.ts'
import { deciding } from './authorities.ts'

type Deps<Operation extends (input: never, deps: never) => unknown> = Parameters<Operation>[1]

export const addAccount = (
  input: Omit<adding.AddAccountInput, 'authority'>,
  deps: Deps<typeof adding.addAccount>,
): Promise<Account> => adding.addAccount({ ...input, authority: deciding() }, deps)

export const disableAccount = (
  account: string,
  deps: Deps<typeof disabling.disableAccount>,
): Promise<Account> => disabling.disableAccount({ account, authority: deciding() }, deps)

export const enableAccount = (account: string, deps: Deps<typeof enabling.enableAccount>): Promise<Account> =>
  enabling.enableAccount({ account, authority: deciding() }, deps)

export const makeResetLink = (
  input: { readonly account: string; readonly lifetimeMs: number },
  deps: Deps<typeof linking.makeResetLink>,
): Promise<MadeLink> => linking.makeResetLink({ ...input, authority: deciding() }, deps)

export const removeAgent = (name: string, deps: Deps<typeof removing.removeAgent>) =>
  removing.removeAgent({ name, authority: deciding() }, deps)
