/** Calls the operations on accounts with the authority of an operator. */

import type { Account } from '../../src/accounts/account.ts'
import * as adding from '../../src/accounts/add.ts'
import * as disabling from '../../src/accounts/disable.ts'
import * as endedLogins from '../../src/accounts/ended-logins/revoke-all.ts'
import * as linkingIdentity from '../../src/accounts/link.ts'
import * as linking from '../../src/accounts/one-time-links/reset-link.ts'
import * as passwords from '../../src/accounts/passwords/set-password.ts'
import * as removal from '../../src/accounts/removal/remove-account.ts'
import * as factors from '../../src/accounts/second-factor/enable.ts'
import * as switching from '../../src/accounts/switch-password-logins.ts'
import * as agents from '../../src/identity/agents/add-agent.ts'
import * as removing from '../../src/identity/agents/remove-agent.ts'
import { actingAs, deciding } from './authorities.ts'

const asOperator = actingAs(deciding())

export const addAccount = asOperator(adding.addAccount)
export const makeResetLink = asOperator(linking.makeResetLink)
export const setPassword = asOperator(passwords.setPassword)
export const linkIdentity = asOperator(linkingIdentity.linkIdentity)
export const removeAccount = asOperator(removal.removeAccount)
export const revokeAll = asOperator(endedLogins.revokeAll)
export const enableSecondFactor = asOperator(factors.enableSecondFactor)
export const switchPasswordLogins = asOperator(switching.switchPasswordLogins)
export const addAgent = asOperator(agents.addAgent)

type Deps<Operation extends (input: never, deps: never) => unknown> = Parameters<Operation>[1]

export const disableAccount = (account: string, deps: Deps<typeof disabling.disableAccount>) =>
  disabling.disableAccount({ account, authority: deciding() }, deps)

export const enableAccount = (account: string, deps: Deps<typeof disabling.enableAccount>) =>
  disabling.enableAccount({ account, authority: deciding() }, deps)

export const removeAgent = (name: string, deps: Deps<typeof removing.removeAgent>) =>
  removing.removeAgent({ name, authority: deciding() }, deps)

export const PASSWORD = 'correct horse battery'

let people = 0

/** Adds an account that signs in with {@link PASSWORD}. */
export const addUser = (
  deps: Deps<typeof adding.addAccount>,
  username = `user-${++people}`,
): Promise<Account> =>
  addAccount({ username, email: `${username}@example.org`, name: 'Some One', password: PASSWORD }, deps)
