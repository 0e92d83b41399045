/** Refuses a root and its discharge that were issued before the logins of their account were ended. */
import { type RequestError, unauthorized } from '../../errors.ts'
import type { Account } from '../account.ts'
import { endedSince, type LoginMark } from './login-mark.ts'

/** What a root and its discharge prove about their age. */
export interface ProvenLogin {
  /** When the root was minted, by the clock of the node that did. */
  readonly since: Date
  /** Undefined in a discharge of an external identity service. */
  readonly mark: LoginMark | undefined
}

/** Where discharges carry no mark, a root minted by a node whose clock is this much ahead is refused too. */
export const CLOCK_MARGIN_MS = 5_000
/** How long after a discharge was given it may open a session. Clients do it in the same second. */
const FIRST_USE_MS = 60 * 60_000

/**
 * `bundled`: the discharge is from the identity service of this installation, so it must carry a mark once the logins
 * of the account were ended. An external one's proves no time: then it counts when the root was minted, which was
 * before. Throws a 401.
 */
export function refuseEndedLogin(
  { since, mark }: ProvenLogin,
  account: Account,
  { bundled }: { readonly bundled: boolean },
): void {
  const { loginsSince } = account
  if (loginsSince === undefined) return
  refuseEarlierRoot({ since }, account, { bundled })
  if (bundled && endedSince(mark?.seen, account)) throw endedAt(loginsSince, account)
}

/** The same for a login that proved it was in time when its session was opened: only its root counts. Throws a 401. */
export function refuseEarlierRoot(
  { since }: Pick<ProvenLogin, 'since'>,
  account: Account,
  { bundled }: { readonly bundled: boolean },
): void {
  const { loginsSince } = account
  if (loginsSince === undefined) return
  const margin = bundled ? 0 : CLOCK_MARGIN_MS
  if (since.getTime() <= loginsSince.getTime() + margin) throw endedAt(loginsSince, account)
}

const endedAt = (loginsSince: Date, { username }: Account): RequestError =>
  unauthorized(
    `The logins of "${username}" were ended at ${loginsSince.toISOString()}, and this one began before. Log in again.`,
  )

/** For a login that opens its session now. Throws a 401. */
export function refuseLateLogin({ mark }: Pick<ProvenLogin, 'mark'>, now: Date): void {
  if (!mark || now.getTime() <= mark.givenAt.getTime() + FIRST_USE_MS) return
  throw unauthorized(
    `The discharge was given at ${mark.givenAt.toISOString()} and not used within an hour. Discharge the root again, or log in again.`,
  )
}
