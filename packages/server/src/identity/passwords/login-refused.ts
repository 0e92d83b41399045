/** How a login with a password is refused: with the codes that its tools know (contract/publisher-login.md, 18 and 19). */
import type { LoginErrorCode } from '@ratafia/api'

/** What snapd can read in an error. */
export type LoginExtra = Readonly<Record<string, string | readonly string[]>>

export class LoginRefused extends Error {
  override readonly name = 'LoginRefused'
  readonly code: LoginErrorCode
  readonly extra: LoginExtra
  /** Milliseconds until another attempt may come. */
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

/** `field` is the one of the body that is wrong. */
export const invalidData = (field: string, message: string, cause?: unknown): LoginRefused =>
  new LoginRefused('INVALID_DATA', message, { extra: { [field]: [message] }, cause })

/** For an account whose operator wants no programs to have its password. */
export const OF_ACCOUNT = 'the password of this account'

export const passwordLoginOff = (what = 'a password here'): LoginRefused =>
  new LoginRefused(
    'PASSWORD_LOGIN_OFF',
    `Programs cannot log in with ${what}. Log in with a browser: ratafia tokens create.`,
  )
