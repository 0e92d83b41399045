/**
 * Who somebody is, by name, password and second factor: for the pages of the identity service, and for programs that
 * log in with a password. They share the counters of the throttle.
 */
import type { Account } from '../../accounts/account.ts'
import type { WithPassword } from '../../accounts/account-store.ts'
import { findByLoginName, verifyPassword } from '../../accounts/passwords/verify-password.ts'
import { confirmedFactors } from '../../accounts/second-factor/second-factor.ts'
import { useCode } from '../../accounts/second-factor/use-code.ts'
import { accountActor } from '../../change.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { countFailures } from './count-failures.ts'

export interface Credentials {
  /** A username or an e-mail address, as typed. */
  readonly name: string
  readonly password: string
  /** A code of the second factor, or a recovery code, as typed; undefined: none was given. */
  readonly code?: string | undefined
  /** Where the attempt comes from. */
  readonly address: string
}

export type CredentialsVerdict =
  | {
      readonly verdict: 'right'
      readonly account: Account
      /** As in `verifyPassword`, for the second factor too: call it after you stored what the credentials permit. */
      recheck(): Promise<'right' | 'disabled' | 'wrong'>
    }
  /** Does not reveal whether the account exists. */
  | { readonly verdict: 'wrong' }
  /** The next three only for someone who knows the password. */
  | { readonly verdict: 'disabled' }
  | { readonly verdict: 'code-needed'; readonly account: Account }
  | { readonly verdict: 'code-wrong' }
  | { readonly verdict: 'throttled'; readonly retryAt: Date }

export type CheckDeps = Pick<
  IdentityDependencies,
  'accounts' | 'passwords' | 'secondFactors' | 'sealer' | 'throttle' | 'changeBy' | 'clock' | 'tally'
>

/** Writes nothing but a used code. Throws Unavailable when it could not be checked; such an attempt does not count. */
export async function checkCredentials(
  { name, password, code, address }: Credentials,
  deps: CheckDeps,
): Promise<CredentialsVerdict> {
  const typed = name.trim()
  // People type capitals, which no username has.
  const username = typed.toLowerCase()
  // First, because its failures count for the account; all others are looked up once they may be tried.
  const byEmail = typed.includes('@') ? await findByLoginName(typed, deps) : undefined
  const result = await countFailures(
    { username: byEmail?.account.username ?? username, address },
    deps.throttle,
    async () => {
      const found = byEmail ?? (await findByLoginName(username, deps))
      return verdictOn(found, { password, code, address }, deps)
    },
  )
  tallyRefused(result.verdict, deps)
  return result
}

/** A login that is refused. One that is not is counted when it opens a session. */
export function tallyRefused(
  verdict: CredentialsVerdict['verdict'],
  { tally }: Pick<IdentityDependencies, 'tally'>,
): void {
  if (verdict !== 'right' && verdict !== 'code-needed') tally.add('logins', verdict)
}

async function verdictOn(
  found: WithPassword | undefined,
  { password, code, address }: Omit<Credentials, 'name'>,
  deps: CheckDeps,
): Promise<Exclude<CredentialsVerdict, { readonly verdict: 'throttled' }>> {
  const known = await verifyPassword({ found, password }, deps)
  if (known.verdict !== 'right') return { verdict: known.verdict }
  const { account } = known
  const factors = await confirmedFactors(account.id, deps)
  if (factors.length > 0) {
    if (code === undefined) return { verdict: 'code-needed', account }
    if (!(await isRightCode({ account, code, address }, deps))) return { verdict: 'code-wrong' }
  }
  const recheck = async () => {
    const now = await known.recheck()
    if (now !== 'right') return now
    // A second factor that came meanwhile was not asked for.
    const ids = new Set(factors.map(({ id }) => id))
    return (await confirmedFactors(account.id, deps)).every(({ id }) => ids.has(id)) ? 'right' : 'wrong'
  }
  return { verdict: 'right', account, recheck }
}

/** Uses the code up. */
export function isRightCode(
  { account, code, address }: { readonly account: Account; readonly code: string; readonly address: string },
  deps: Pick<IdentityDependencies, 'secondFactors' | 'sealer' | 'changeBy' | 'clock'>,
): Promise<boolean> {
  const change = deps.changeBy({ actor: accountActor(account.username), source: address })
  return useCode({ account, code }, { ...deps, change })
}
