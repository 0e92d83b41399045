/**
 * Recognises logins from before their account's logins were invalidated, without a clock. Everything issued during a
 * login (a browser sign-in, an approval, the login's token, a discharge) contains the value of
 * {@link Account.loginsSince} that its account had then. Once the account has a later value, it opens nothing.
 *
 * In a discharge, the value is in its mark, `declared login GIVEN SEEN`, both in milliseconds since 1970. Only
 * discharges for the service that the identity service belongs to have a mark: others need not know when a password was
 * changed.
 */
import { formatDeclared } from '@ratafia/macaroon/conditions'
import type { Account } from '../account.ts'

/** The key that a mark declares. */
export const LOGIN_KEY = 'login'

/**
 * Returns the time when the logins of an account were last invalidated, in the form that issued items
 * contain: 0 for never.
 */
export const seenBy = ({ loginsSince }: Pick<Account, 'loginsSince'>): number => loginsSince?.getTime() ?? 0

/** Whether the logins of the account were invalidated after an item that contains `seen` was issued. */
export const endedSince = (seen: number | undefined, account: Pick<Account, 'loginsSince'>): boolean =>
  (seen ?? 0) < seenBy(account)

export interface LoginMark {
  /** When the discharge was given, by the database's clock. */
  readonly givenAt: Date
  readonly seen: number
}

export const formatLoginMark = (account: Pick<Account, 'loginsSince'>, givenAt: Date): string =>
  formatDeclared(LOGIN_KEY, `${givenAt.getTime()} ${seenBy(account)}`)

/** Parses the declared value. Returns undefined for any other text. */
export function parseLoginMark(value: string): LoginMark | undefined {
  const [, given, seen] = /^([0-9]{1,15}) ([0-9]{1,15})$/.exec(value) ?? []
  return given === undefined || seen === undefined
    ? undefined
    : { givenAt: new Date(Number(given)), seen: Number(seen) }
}
