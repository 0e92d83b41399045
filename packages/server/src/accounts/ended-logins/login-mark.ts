/**
 * By which a login is told from those before its account's logins were ended, without comparing two clocks: whatever is
 * issued on the way (a sign-in, an approval, the token of a login, a discharge) names the instant
 * {@link Account.loginsSince} that its account had then. Once the account has a later one, it opens nothing.
 *
 * A discharge names it in its mark, `declared login GIVEN SEEN`, both in milliseconds since 1970. Only the service that
 * the identity service belongs to gets one: others need not know when somebody changed a password.
 */
import { formatDeclared } from '@ratafia/macaroon/conditions'
import type { Account } from '../account.ts'

/** The key that a mark declares. */
export const LOGIN_KEY = 'login'

/** When the logins of an account were last ended, as what was issued then names it: 0 for never. */
export const seenBy = ({ loginsSince }: Pick<Account, 'loginsSince'>): number => loginsSince?.getTime() ?? 0

/** Whether the logins of the account were ended after something was issued that names `seen`. */
export const endedSince = (seen: number | undefined, account: Pick<Account, 'loginsSince'>): boolean =>
  (seen ?? 0) < seenBy(account)

export interface LoginMark {
  /** By the clock of the node that gave the discharge. */
  readonly givenAt: Date
  readonly seen: number
}

export const formatLoginMark = (account: Pick<Account, 'loginsSince'>, givenAt: Date): string =>
  formatDeclared(LOGIN_KEY, `${givenAt.getTime()} ${seenBy(account)}`)

/** From the declared value. Undefined for any other text. */
export function parseLoginMark(value: string): LoginMark | undefined {
  const [, given, seen] = /^([0-9]{1,15}) ([0-9]{1,15})$/.exec(value) ?? []
  return given === undefined || seen === undefined
    ? undefined
    : { givenAt: new Date(Number(given)), seen: Number(seen) }
}
