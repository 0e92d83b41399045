/** Refuses a root and its discharge that were issued before the logins of their account were invalidated. */
import { type RequestError, unauthorized } from '../../errors.ts'
import type { Account } from '../account.ts'
import { endedSince, type LoginMark } from './login-mark.ts'

/** The facts that a root and its discharge prove about their age. */
export interface ProvenLogin {
  /** When the root was minted, by the database's clock. */
  readonly since: Date
  /** The login's mark; undefined in a discharge of an external identity service. */
  readonly mark: LoginMark | undefined
}

/**
 * Where discharges have no mark, a root minted up to this long after the logins were invalidated is refused as well.
 * Nodes are up to a network delay behind the database's clock (decision 58), so a root minted just before can look
 * later. The margin is far larger than that delay, and also covers small steps back of the database's clock.
 */
export const CLOCK_MARGIN_MS = 5_000
/** How long after it was given a discharge can open a session. Clients do this in the same second. */
const FIRST_USE_MS = 60 * 60_000

/**
 * Throws a 401 if the login was invalidated. `bundled` means that the discharge is from this installation's
 * identity service: once the account's logins were invalidated, it must have a mark. A discharge of an
 * external service does not prove when it was issued, so the root's time decides, which is earlier.
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

/** Throws a 401 if the root is too old. Enough for a login whose discharge was checked when its session was opened. */
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
    `Logins of "${username}" from before ${loginsSince.toISOString()} are no longer valid. Log in again.`,
  )

/** Throws a 401 if it is too late for the login to open its session. */
export function refuseLateLogin({ mark }: Pick<ProvenLogin, 'mark'>, now: Date): void {
  if (!mark || now.getTime() <= mark.givenAt.getTime() + FIRST_USE_MS) return
  throw unauthorized(
    `The discharge was given at ${mark.givenAt.toISOString()} and was not used within an hour. Discharge the root again, or log in again.`,
  )
}
