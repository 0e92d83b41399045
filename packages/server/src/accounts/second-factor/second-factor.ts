/** Creates, opens and finds second factors. Each one's secret is sealed under its own id. */
import { randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'
import { Unavailable } from '../../errors.ts'
import { secondFactorPurpose } from '../../keyring/sealing.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.ts'
import type { SecondFactor } from './second-factor-store.ts'
import { forAuthenticator, SECRET_BYTES } from './totp.ts'

/** The secrets that its owner needs, which cannot be shown again. */
export interface NewSecondFactor {
  readonly secret: string
  readonly uri: string
  readonly recoveryCodes: readonly string[]
}

/** Returns the confirmed second factors. An account that has any is asked for a code. */
export async function confirmedFactors(
  accountId: AccountId,
  { secondFactors }: TransactionStores,
): Promise<readonly SecondFactor[]> {
  return (await secondFactors.of(accountId)).filter(({ confirmedAt }) => confirmedAt !== undefined)
}

/** Creates a secret for one-time codes, without storing it. */
export function newTotp(
  accountId: AccountId,
  confirmed: boolean,
  { sealer, clock }: Stores,
): { readonly factor: SecondFactor; readonly secret: Uint8Array } {
  const id = randomBytes(16).toString('base64url')
  const secret = randomBytes(SECRET_BYTES)
  const now = clock()
  const sealed = sealer.seal(secondFactorPurpose(id), secret)
  const confirmedAt = confirmed ? now : undefined
  return { factor: { id, accountId, kind: 'totp', sealed, createdAt: now, confirmedAt }, secret }
}

/**
 * Returns the secret. Throws {@link Unavailable} if this node's secret key does not open it, so no code can be checked.
 */
export function openTotp({ id, sealed }: SecondFactor, { sealer }: Stores): Uint8Array {
  const secret = sealer.unseal(secondFactorPurpose(id), sealed)
  if (secret) return secret
  throw new Unavailable('a second factor is sealed under a different secret key')
}

/** Replaces all recovery codes by new ones, and returns them. */
export async function replaceRecoveryCodes(
  accountId: AccountId,
  { secondFactors }: TransactionStores,
  now: Date,
): Promise<readonly string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.flatMap((code) => recoveryCodeHash(accountId, code) ?? [])
  await secondFactors.replaceRecoveryCodes(accountId, hashes, now)
  return codes
}

/** Returns the secret in the forms shown to the account's owner. `issuer` is this service's name in authenticators. */
export const shownTotp = (secret: Uint8Array, issuer: string, { username }: Pick<Account, 'username'>) =>
  forAuthenticator(secret, { issuer, username })
