/** Creates a private brand: a root signs its account and account-key, and the service keeps the key. */
import { encodeStream, type PrivateKey } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../authority.ts'
import { invalidField } from '../errors.ts'
import type { Stores } from '../stores.ts'
import { type AddedKey, storeSigningKey } from './keys/add-signing-key.ts'
import { generateSigningKey } from './keys/signing-key-file.ts'
import { findIssuer } from './trust/find-issuer.ts'
import { issueAccount, issueAccountKey, type NewAccount } from './trust/issue.ts'
import { findAssertion, requireUnusedKey } from './trust/trust.ts'

export interface NewBrand extends NewAccount {
  /** The private key of a trust root. It signs, and is not stored. */
  readonly rootKey: PrivateKey
  /** The default is a new key, which only this service has. */
  readonly signingKey?: PrivateKey | undefined
  readonly keyName: string
  readonly until?: Date | undefined
  /**
   * Receives the account and the account-key, for devices, before anything is stored. If it fails, nothing is stored.
   */
  readonly keep: (assertions: Uint8Array) => Promise<void>
  readonly authority: Authority
}

export interface CreatedBrand extends AddedKey {
  readonly rootId: string
}

/**
 * Throws `permission-denied`, and `invalid-field` if the account already exists or the root key belongs to no
 * root. Then nothing is stored.
 */
export async function createBrand(brand: NewBrand, stores: Stores): Promise<CreatedBrand> {
  const { accountId, keyName, until, authority } = brand
  requireForAll(authority, 'roles:manage')
  const issuer = await findIssuer(brand.rootKey, stores)
  if (await findAssertion('account', [accountId], stores)) {
    throw invalidField(
      `There is already an account ${accountId}. \`ratafia signing-keys certify\` certifies another key for it.`,
    )
  }
  const key = brand.signingKey ?? (await generateSigningKey())
  await requireUnusedKey(key.publicKey.id, stores)
  const at = stores.clock()
  const account = issueAccount(brand, issuer, at)
  const subject = { accountId, publicKey: key.publicKey, name: keyName, since: at, until }
  const accountKey = issueAccountKey(subject, issuer, at)
  await brand.keep(encodeStream([account, accountKey]))
  const added = await storeSigningKey(
    {
      ...{ action: 'brand.add', authority, others: [] },
      ...{ account, accountKey, key, keyName: 'The signing key' },
    },
    stores,
  )
  return { ...added, rootId: issuer.accountId }
}
