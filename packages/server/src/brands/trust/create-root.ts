/** Creates a private trust root: an account that certifies itself and brands. */
import { encodeStream, type PrivateKey } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { addTrustRoots } from './add-trust-roots.ts'
import { issueAccount, issueAccountKey, type NewAccount } from './issue.ts'
import { findAssertion, requireUnusedKey } from './trust.ts'

export interface NewRoot extends NewAccount {
  /** It signs for itself, and is not stored. */
  readonly key: PrivateKey
  readonly keyName: string
  readonly until?: Date | undefined
  /** Receives the assertions before anything is stored. If it fails, nothing is stored. */
  readonly keep: (assertions: Uint8Array) => Promise<void>
  readonly authority: Authority
}

export interface CreatedRoot {
  readonly accountId: string
  readonly keyId: string
}

/**
 * Throws `permission-denied`, and `invalid-field` if the account already exists or can't be a root. Then
 * nothing is trusted.
 */
export async function createRoot(root: NewRoot, stores: Stores): Promise<CreatedRoot> {
  const { accountId, key, keyName, until, authority } = root
  requireForAll(authority, 'roles:manage')
  if (await findAssertion('account', [accountId], stores)) {
    throw invalidField(`There is already an account ${accountId}. Give the root another account id.`)
  }
  await requireUnusedKey(key.publicKey.id, stores)
  const at = stores.clock()
  const issuer = { accountId, key }
  const assertions = encodeStream([
    issueAccount(root, issuer, at),
    issueAccountKey({ accountId, publicKey: key.publicKey, name: keyName, since: at, until }, issuer, at),
  ])
  await root.keep(assertions)
  await addTrustRoots({ files: [{ name: 'The new root', bytes: assertions }], authority }, stores)
  return { accountId, keyId: key.publicKey.id }
}
