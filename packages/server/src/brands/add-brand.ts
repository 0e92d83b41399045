/** Adds an account whose serials the service signs, and a key to sign them with; or creates both. */

import { encodeStream, type PrivateKey } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../authority.ts'
import { invalidField } from '../errors.ts'
import type { Stores } from '../stores.ts'
import { assertionIn, type NamedFile } from './assertion-file.ts'
import { type AddedKey, type SigningKeyFiles, storeSigningKey } from './keys/add-signing-key.ts'
import { generateSigningKey, readPrivateKey } from './keys/signing-key-secret.ts'
import { findIssuer, issueAccount, issueAccountKey, type NewAccount } from './trust/issue.ts'
import { findAssertion, requireUnusedKey } from './trust/trust.ts'

/** The assertion files can contain other assertions that the chains need. */
export interface BrandFiles extends SigningKeyFiles {
  readonly account: NamedFile
  readonly accountKey: NamedFile
}

/**
 * Adds a brand, or another account that models name in `serial-authority`, with its first signing key. Throws
 * as {@link storeSigningKey} does.
 */
export async function addBrand(files: BrandFiles, stores: Stores): Promise<AddedKey> {
  requireForAll(files.authority, 'roles:manage')
  const account = assertionIn(files.account, 'account')
  const accountKey = assertionIn(files.accountKey, 'account-key')
  const key = await readPrivateKey(files.signingKey, files.passphrase)
  return storeSigningKey(
    {
      action: 'brand.add',
      authority: files.authority,
      account: account.assertion,
      accountKey: accountKey.assertion,
      key,
      keyName: files.signingKey.name,
      others: [...account.others, ...accountKey.others],
    },
    stores,
  )
}

export interface NewBrand extends NewAccount {
  /** The private key of a trust root. It signs, and is not stored. */
  readonly rootKey: PrivateKey
  /** The default is a new key, which only this service has. */
  readonly signingKey?: PrivateKey | undefined
  readonly keyName: string
  readonly until?: Date | undefined
  /** Receives both assertions, for devices, before anything is stored. If it fails, nothing is stored. */
  readonly keep: (assertions: Uint8Array) => Promise<void>
  readonly authority: Authority
}

export interface CreatedBrand extends AddedKey {
  readonly rootId: string
}

/** Throws `permission-denied`, and `invalid-field` if the account exists or the root key belongs to no root. */
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
