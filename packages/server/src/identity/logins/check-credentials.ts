/**
 * Checks a name, password and second factor, for the pages of the identity service and for programs that log
 * in with a password. Both share the counters of the throttle.
 */
import type { Account } from '../../accounts/account.ts'
import { loginName } from '../../accounts/account-fields.ts'
import type { WithPassword } from '../../accounts/account-store.ts'
import {
  findByLoginName,
  type PasswordVerdict,
  verifyPassword,
} from '../../accounts/passwords/verify-password.ts'
import { confirmedFactors } from '../../accounts/second-factor/second-factor.ts'
import { useCode } from '../../accounts/second-factor/use-code.ts'
import { accountActor } from '../../change.ts'
import type { Stores } from '../../stores.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { countFailures, type Throttled } from './throttle.ts'

export interface Credentials {
  /** A username or an e-mail address, as typed. */
  readonly name: string
  readonly password: string
  /** A code of the second factor, or a recovery code, as typed; undefined if none was given. */
  readonly code?: string | undefined
  /** The address that the attempt comes from. */
  readonly address: string
}

export type CredentialsVerdict =
  | {
      readonly verdict: 'right'
      readonly account: Account
      /** Checks again as in `verifyPassword`, including the second factor. Call it after storing what they permit. */
      recheck(): Promise<'right' | 'disabled' | 'wrong'>
    }
  /** Does not reveal whether the account exists. */
  | { readonly verdict: 'wrong' }
  /** Only callers who know the password get the next three. */
  | { readonly verdict: 'disabled' }
  | { readonly verdict: 'code-needed'; readonly account: Account }
  | { readonly verdict: 'code-wrong' }
  | { readonly verdict: 'throttled'; readonly retryAt: Date }

export type CheckDeps = Stores & Pick<IdentityDependencies, 'throttle' | 'tally'>

/**
 * Checks the credentials. Writes only a used code. Throws `Unavailable` if they could not be checked, and
 * then the attempt does not count.
 */
export async function checkCredentials(
  { name, password, code, address }: Credentials,
  deps: CheckDeps,
): Promise<CredentialsVerdict> {
  const login = loginName(name)
  // Count by name before any look-up, because an account's two names must not lock each other. All spellings
  // of an e-mail address are one name.
  const known = await countFailures({ name: login, address }, deps.throttle, async () =>
    withPassword(await findByLoginName(login, deps), password, deps),
  )
  const result = known.verdict === 'right' ? await withCode(known, { code, address }, deps) : known
  tallyRefused(result.verdict, deps)
  return result
}

/** Counts a refused login. Others are counted when they open a session. */
export function tallyRefused(
  verdict: CredentialsVerdict['verdict'],
  { tally }: Pick<IdentityDependencies, 'tally'>,
): void {
  if (verdict !== 'right' && verdict !== 'code-needed') tally.add('logins', verdict)
}

type Known = Extract<PasswordVerdict, { readonly verdict: 'right' }>

async function withPassword(
  found: WithPassword | undefined,
  password: string,
  deps: CheckDeps,
): Promise<Known | { readonly verdict: 'wrong' | 'disabled' }> {
  const known = await verifyPassword({ found, password }, deps)
  return known.verdict === 'right' ? known : { verdict: known.verdict }
}

async function withCode(
  known: Known,
  { code, address }: Pick<Credentials, 'code' | 'address'>,
  deps: CheckDeps,
): Promise<CredentialsVerdict> {
  const { account } = known
  const factors = await confirmedFactors(account.id, deps)
  if (factors.length > 0) {
    if (code === undefined) return { verdict: 'code-needed', account }
    const coded = await tryCode({ account, code, address }, deps)
    if (coded.verdict !== 'right') return coded
  }
  const recheck = async () => {
    const now = await known.recheck()
    if (now !== 'right') return now
    // A second factor that was added meanwhile has not been checked.
    const ids = new Set(factors.map(({ id }) => id))
    return (await confirmedFactors(account.id, deps)).every(({ id }) => ids.has(id)) ? 'right' : 'wrong'
  }
  return { verdict: 'right', account, recheck }
}

/**
 * Uses a code. Failures are counted separately and by account: only callers who know the password get here,
 * and they have one budget whichever name they typed.
 */
export function tryCode(
  attempt: CodeAttempt,
  deps: Stores & Pick<IdentityDependencies, 'throttle'>,
): Promise<{ readonly verdict: 'right' } | { readonly verdict: 'code-wrong' } | Throttled> {
  const { account, address } = attempt
  const counted = { name: account.username, address, codesOf: account.id }
  return countFailures(counted, deps.throttle, async () =>
    (await isRightCode(attempt, deps)) ? { verdict: 'right' } : { verdict: 'code-wrong' },
  )
}

interface CodeAttempt {
  readonly account: Account
  readonly code: string
  readonly address: string
}

/** Uses a code, and returns whether it is right. */
export function isRightCode({ account, code, address }: CodeAttempt, stores: Stores): Promise<boolean> {
  const change = stores.changeBy({ actor: accountActor(account.username), source: address })
  return useCode({ account, code }, { ...stores, change })
}
