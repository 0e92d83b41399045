/** Calls the operations on accounts with the authority of an operator. */

import type { Account } from '../../src/accounts/account.ts'
import * as adding from '../../src/accounts/add.ts'
import * as disabling from '../../src/accounts/disable.ts'
import * as enabling from '../../src/accounts/disable.ts'
import * as endedLogins from '../../src/accounts/ended-logins/revoke-all.ts'
import * as linkingIdentity from '../../src/accounts/link.ts'
import type { MadeLink } from '../../src/accounts/one-time-links/link.ts'
import * as linking from '../../src/accounts/one-time-links/reset-link.ts'
import * as passwords from '../../src/accounts/passwords/set-password.ts'
import * as removal from '../../src/accounts/removal/remove-account.ts'
import * as factors from '../../src/accounts/second-factor/enable.ts'
import * as switching from '../../src/accounts/switch-password-logins.ts'
import * as agents from '../../src/identity/agents/add-agent.ts'
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

type Wanted<Operation extends (input: never, deps: never) => unknown> = Omit<
  Parameters<Operation>[0],
  'authority'
>

export const setPassword = (
  input: Wanted<typeof passwords.setPassword>,
  deps: Deps<typeof passwords.setPassword>,
): Promise<Account> => passwords.setPassword({ ...input, authority: deciding() }, deps)

export const linkIdentity = (
  input: Wanted<typeof linkingIdentity.linkIdentity>,
  deps: Deps<typeof linkingIdentity.linkIdentity>,
): Promise<Account> => linkingIdentity.linkIdentity({ ...input, authority: deciding() }, deps)

export const removeAccount = (
  input: Wanted<typeof removal.removeAccount>,
  deps: Deps<typeof removal.removeAccount>,
) => removal.removeAccount({ ...input, authority: deciding() }, deps)

export const revokeAll = (
  input: Wanted<typeof endedLogins.revokeAll>,
  deps: Deps<typeof endedLogins.revokeAll>,
) => endedLogins.revokeAll({ ...input, authority: deciding() }, deps)

export const enableSecondFactor = (
  input: Wanted<typeof factors.enableSecondFactor>,
  deps: Deps<typeof factors.enableSecondFactor>,
) => factors.enableSecondFactor({ ...input, authority: deciding() }, deps)

export const switchPasswordLogins = (
  input: Wanted<typeof switching.switchPasswordLogins>,
  deps: Deps<typeof switching.switchPasswordLogins>,
): Promise<Account> => switching.switchPasswordLogins({ ...input, authority: deciding() }, deps)

export const addAgent = (input: Wanted<typeof agents.addAgent>, deps: Deps<typeof agents.addAgent>) =>
  agents.addAgent({ ...input, authority: deciding() }, deps)
