/**
 * Time-based one-time codes (RFC 6238): SHA-1, six digits, 30 seconds, as every authenticator supports only this kind.
 */
import { Secret, TOTP } from 'otpauth'

const PERIOD_S = 30
/**
 * The number of steps before and after the current one whose code is accepted: clocks differ, and people type slowly.
 */
const TOLERANCE = 1
/** The length of the hash (RFC 4226, section 4). */
export const SECRET_BYTES = 20

const OPTIONS = { algorithm: 'SHA1', digits: 6, period: PERIOD_S } as const

export const isTimeCode = (text: string): boolean => /^[0-9]{6}$/.test(text)

/** Returns the step of this code, if it is accepted at `now`; undefined otherwise. Compares in constant time. */
export function stepOfCode(secret: Uint8Array, code: string, now: Date): number | undefined {
  if (!isTimeCode(code)) return undefined
  const timestamp = now.getTime()
  const delta = TOTP.validate({
    ...OPTIONS,
    token: code,
    secret: keyOf(secret),
    timestamp,
    window: TOLERANCE,
  })
  return delta === null ? undefined : Math.floor(timestamp / (PERIOD_S * 1000)) + delta
}

/** Returns the code that an authenticator shows at this moment. */
export const codeAt = (secret: Uint8Array, now: Date): string =>
  TOTP.generate({ ...OPTIONS, secret: keyOf(secret), timestamp: now.getTime() })

/** Returns the input for an authenticator: the secret in base32, and a link with all parameters for a QR code. */
export function forAuthenticator(
  secret: Uint8Array,
  { issuer, username }: { readonly issuer: string; readonly username: string },
): { readonly secret: string; readonly uri: string } {
  const key = keyOf(secret)
  // In the link, a colon terminates the issuer, even if it is escaped.
  const name = issuer.replaceAll(':', '-')
  return {
    secret: key.base32,
    uri: new TOTP({ ...OPTIONS, issuer: name, label: username, secret: key }).toString(),
  }
}

/** Copies the secret, because the library uses the whole underlying buffer. */
const keyOf = (secret: Uint8Array): Secret => new Secret({ buffer: Uint8Array.from(secret).buffer })
