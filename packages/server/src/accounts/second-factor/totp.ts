/** One-time codes by time (RFC 6238): SHA-1, six digits, 30 seconds, the only kind that every authenticator takes. */
import { Secret, TOTP } from 'otpauth'

const PERIOD_S = 30
/** Steps before and after the current one whose code counts too: clocks differ, and people type slowly. */
const TOLERANCE = 1
/** As long as the hash (RFC 4226, section 4). */
export const SECRET_BYTES = 20

const OPTIONS = { algorithm: 'SHA1', digits: 6, period: PERIOD_S } as const

export const isTimeCode = (text: string): boolean => /^[0-9]{6}$/.test(text)

/** The step whose code this is, of those that count at `now`; undefined: of none. Compares in constant time. */
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

/** The code at this moment, as an authenticator shows it. */
export const codeAt = (secret: Uint8Array, now: Date): string =>
  TOTP.generate({ ...OPTIONS, secret: keyOf(secret), timestamp: now.getTime() })

/** What an authenticator is given: the secret in base32, and a link with all of it for a QR code. */
export function forAuthenticator(
  secret: Uint8Array,
  { issuer, username }: { readonly issuer: string; readonly username: string },
): { readonly secret: string; readonly uri: string } {
  const key = keyOf(secret)
  // In the link a colon ends the issuer, even an escaped one.
  const name = issuer.replaceAll(':', '-')
  return {
    secret: key.base32,
    uri: new TOTP({ ...OPTIONS, issuer: name, label: username, secret: key }).toString(),
  }
}

/** A copy: the library takes a whole buffer. */
const keyOf = (secret: Uint8Array): Secret => new Secret({ buffer: Uint8Array.from(secret).buffer })
