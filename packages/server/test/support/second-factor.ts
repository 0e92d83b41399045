/** Gives an account a second factor. */
import { Secret } from 'otpauth'
import type { Account } from '../../src/accounts/account.ts'
import { codeAt } from '../../src/accounts/second-factor/totp.ts'
import { enableSecondFactor } from './accounts.ts'
import type { TestService } from './service.ts'

/**
 * Enables the second factor, and returns a function that returns the authenticator's current code. Each code is
 * accepted once, and the code changes every 30 seconds.
 */
export async function withSecondFactor(service: TestService, { id }: Account): Promise<() => string> {
  const input = { account: id, issuer: 'id.example.org', instead: false }
  const { secret } = await enableSecondFactor(input, service.installation)
  const { bytes } = Secret.fromBase32(secret)
  return () => codeAt(bytes, service.now())
}
