/** What a second factor is made of, and whether an account has one. Each kind seals what it keeps under its own id. */
import { randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'
import { Unavailable } from '../../errors.ts'
import { secondFactorPurpose } from '../../keyring/sealing-purposes.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.ts'
import type { SecondFactor } from './second-factor-store.ts'
import { forAuthenticator, SECRET_BYTES } from './totp.ts'

/** What its owner needs, and nobody can show again. */
export interface NewSecondFactor {
  readonly secret: string
  readonly uri: string
  readonly recoveryCodes: readonly string[]
}

/** The ids of the confirmed ones: an account that has any is asked for a code. */
export async function confirmedFactors(
  accountId: AccountId,
  { secondFactors }: TransactionStores,
): Promise<readonly SecondFactor[]> {
  return (await secondFactors.of(accountId)).filter(({ confirmedAt }) => confirmedAt !== undefined)
}

/** A secret for one-time codes, not stored yet. */
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

/** Throws Unavailable when the secret key of this node does not open it: then nothing can be checked. */
export function openTotp({ id, sealed }: SecondFactor, { sealer }: Stores): Uint8Array {
  const secret = sealer.unseal(secondFactorPurpose(id), sealed)
  if (secret) return secret
  throw new Unavailable('a second factor is sealed under another secret key')
}

/** Stores new recovery codes in place of all earlier ones, and returns them. */
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

/** For the owner of the account; `issuer` is what an authenticator calls this service. */
export const shownTotp = (secret: Uint8Array, issuer: string, { username }: Pick<Account, 'username'>) =>
  forAuthenticator(secret, { issuer, username })
