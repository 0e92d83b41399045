/** Adds an account whose serials the service signs, and a key to sign them with. */
import { requireForAll } from '../authority.ts'
import type { Stores } from '../stores.ts'
import { assertionIn, type NamedFile } from './assertion-file.ts'
import { type AddedKey, type SigningKeyFiles, storeSigningKey } from './keys/add-signing-key.ts'
import { readPrivateKey } from './keys/signing-key-secret.ts'

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
