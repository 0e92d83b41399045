/** The second factor of the signed-in user: enrols one, replaces its recovery codes, turns it off. */
import type { Account } from '../../accounts/account.ts'
import { disableOwnFactor } from '../../accounts/second-factor/disable.ts'
import { confirmEnrolment, enrolment, startEnrolment } from '../../accounts/second-factor/enrol.ts'
import { newRecoveryCodesOf } from '../../accounts/second-factor/new-recovery-codes.ts'
import { confirmedFactors } from '../../accounts/second-factor/second-factor.ts'
import { type AuthoredStores, accountActor } from '../../change.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { countFailures, type Throttled } from '../logins/throttle.ts'
import { prove, provePassword } from './prove-owner.ts'

/** The account of a signed-in browser, and the browser's address. */
export interface Owner {
  readonly account: Account
  readonly address: string
}

type Refused = { readonly verdict: 'wrong' } | Throttled

export interface SecondFactorState {
  /** When it was confirmed; undefined if the account has none. */
  readonly since: Date | undefined
  readonly recoveryCodesLeft: number
}

export async function secondFactorState(
  { id }: Account,
  stores: TransactionStores,
): Promise<SecondFactorState> {
  const [first] = await confirmedFactors(id, stores)
  const recoveryCodesLeft = first ? await stores.secondFactors.recoveryCodesLeft(id) : 0
  return { since: first?.confirmedAt, recoveryCodesLeft }
}

/** Starts an enrolment. Requires the password, because a stranger at a signed-in browser could lock out its owner. */
export async function startOwnEnrolment(
  { account, address }: Owner,
  password: string,
  deps: IdentityDependencies,
): Promise<{ readonly verdict: 'right' } | Refused> {
  const proof = await provePassword({ account, password, address }, deps)
  if (proof.verdict !== 'right') return proof
  await startEnrolment(account, by({ account, address }, deps))
  return { verdict: 'right' }
}

/** Returns the secret for the authenticator; undefined if no enrolment waits for its code. */
export const ownEnrolment = (account: Account, deps: IdentityDependencies) =>
  enrolment(account, new URL(deps.location).host, deps)

export function confirmOwnEnrolment(
  owner: Owner,
  code: string,
  deps: IdentityDependencies,
): Promise<{ readonly verdict: 'right'; readonly recoveryCodes: readonly string[] } | Refused> {
  const { username, id } = owner.account
  const attempt = { name: username, address: owner.address, codesOf: id }
  return countFailures(attempt, deps.throttle, async () => {
    const recoveryCodes = await confirmEnrolment({ account: owner.account, code }, by(owner, deps))
    return recoveryCodes ? { verdict: 'right', recoveryCodes } : { verdict: 'wrong' }
  })
}

/** Replaces the recovery codes. `proof` is as in `prove`. */
export async function replaceOwnRecoveryCodes(
  owner: Owner,
  proof: string,
  deps: IdentityDependencies,
): Promise<{ readonly verdict: 'right'; readonly recoveryCodes: readonly string[] } | Refused> {
  const proved = await prove({ ...owner, proof }, deps)
  if (proved.verdict === 'throttled') return proved
  if (proved.verdict === 'wrong') return { verdict: 'wrong' }
  return { verdict: 'right', recoveryCodes: await newRecoveryCodesOf(owner.account, by(owner, deps)) }
}

/** Turns the second factor off. `proof` is as in `prove`. */
export async function disableOwnSecondFactor(
  owner: Owner,
  proof: string,
  deps: IdentityDependencies,
): Promise<{ readonly verdict: 'right'; readonly recoveryCodes?: undefined } | Refused> {
  const proved = await prove({ ...owner, proof }, deps)
  if (proved.verdict === 'throttled') return proved
  if (proved.verdict === 'wrong') return { verdict: 'wrong' }
  await disableOwnFactor(owner.account, by(owner, deps))
  return { verdict: 'right' }
}

const by = ({ account, address }: Owner, stores: Stores): AuthoredStores => ({
  ...stores,
  change: stores.changeBy({ actor: accountActor(account.username), source: address }),
})
