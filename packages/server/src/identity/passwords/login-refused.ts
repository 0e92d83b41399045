/** The refusal of a password login, with the codes that its tools know (contract/publisher-login.md, 18 and 19). */
import type { LoginErrorCode } from '@ratafia/api'

/** Error details in a form that snapd can read. */
export type LoginExtra = Readonly<Record<string, string | readonly string[]>>

export class LoginRefused extends Error {
  override readonly name = 'LoginRefused'
  readonly code: LoginErrorCode
  readonly extra: LoginExtra
  /** The time until the next allowed attempt, in milliseconds. */
  readonly waitMs: number | undefined

  constructor(
    code: LoginErrorCode,
    message: string,
    {
      extra = {},
      waitMs,
      cause,
    }: { readonly extra?: LoginExtra; readonly waitMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.extra = extra
    this.waitMs = waitMs
  }
}

/** Returns a refusal of the body's field `field`. */
export const invalidData = (field: string, message: string, cause?: unknown): LoginRefused =>
  new LoginRefused('INVALID_DATA', message, { extra: { [field]: [message] }, cause })

/** The text for an account whose operator does not let programs use its password. */
export const OF_ACCOUNT = 'the password of this account'

export const passwordLoginOff = (what = 'a password here'): LoginRefused =>
  new LoginRefused(
    'PASSWORD_LOGIN_OFF',
    `Programs cannot log in with ${what}. Log in with a browser: ratafia tokens create.`,
  )
