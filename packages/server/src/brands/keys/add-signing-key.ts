/** Adds a key that signs the serials of a brand. */
import { encode, type PrivateKey, type UnverifiedAssertion } from '@ratafia/assertions'
import { type Authority, requireForAll } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { assertionIn, type NamedFile } from '../assertion-file.ts'
import { checkAssertions, findAssertion, trustContext } from '../trust/trust.ts'
import { checkSigningKey } from './signing-key-fit.ts'
import { readPrivateKey, sealPrivateKey } from './signing-key-secret.ts'

export interface AddedKey {
  readonly accountId: string
  readonly displayName: string
  readonly keyId: string
}

export interface SigningKeyFiles {
  readonly signingKey: NamedFile
  readonly passphrase?: string | undefined
  /** It can contain other assertions that its chain needs. Not needed if the assertion is already stored. */
  readonly accountKey?: NamedFile | undefined
  readonly authority: Authority
}

/** Adds another key to a stored brand, or enables a disabled key again. Throws as {@link storeSigningKey} does. */
export async function addSigningKey(files: SigningKeyFiles, stores: Stores): Promise<AddedKey> {
  const { authority } = files
  requireForAll(authority, 'roles:manage')
  const key = await readPrivateKey(files.signingKey, files.passphrase)
  const { id } = key.publicKey
  const given = files.accountKey && assertionIn(files.accountKey, 'account-key')
  const accountKey = given?.assertion ?? (await findAssertion('account-key', [id], stores))
  if (!accountKey) {
    throw invalidField(`There is no account-key assertion for key ${id}. Pass it with --account-key.`)
  }
  const { accountId } = accountKey.fields
  const account = await findAssertion('account', [accountId], stores)
  if (!account || !(await stores.brands.find(accountId))) {
    throw invalidField(
      `The key ${id} belongs to ${accountId}, which is not a brand yet. Add it with \`ratafia brands add\`.`,
    )
  }
  const others = given?.others ?? []
  return storeSigningKey(
    {
      ...{ action: 'signing-key.add', authority, others },
      ...{ account, accountKey, key, keyName: files.signingKey.name },
    },
    stores,
  )
}

interface NewSigningKey {
  readonly authority: Authority
  readonly action: 'brand.add' | 'signing-key.add'
  readonly account: UnverifiedAssertion<'account'>
  readonly accountKey: UnverifiedAssertion<'account-key'>
  readonly key: PrivateKey
  /** The name in messages. */
  readonly keyName: string
  /** Assertions that the chains need. */
  readonly others: readonly UnverifiedAssertion[]
}

/**
 * Stores the key with its account, which becomes a brand. Adding a key decides whose serials this service signs, so
 * only operators can do it. Throws `permission-denied`, and `invalid-field` (then nothing is stored) if the key does
 * not match the account-key, the account-key does not match the account, a chain reaches no root, or the key is not
 * valid now, too small, or not allowed to sign serials.
 */
export async function storeSigningKey(
  { action, account, accountKey, key, keyName, others, authority }: NewSigningKey,
  stores: Stores,
): Promise<AddedKey> {
  requireForAll(authority, 'roles:manage')
  const { accountId, displayName } = account.fields
  const { publicKeyId } = accountKey.fields
  if (accountKey.fields.accountId !== accountId) {
    throw invalidField(
      `The account-key ${publicKeyId} belongs to ${accountKey.fields.accountId}, not to ${accountId}. Give the account-key of ${accountId}.`,
    )
  }
  if (key.publicKey.id !== publicKeyId) {
    throw invalidField(
      `${keyName} is the private half of key ${key.publicKey.id}, but the account-key assertion is about ${publicKeyId}. Pass the key and the assertion that belong together.`,
    )
  }
  const given = distinct([account, accountKey, ...others])
  const rows = await checkAssertions(given, stores)
  await checkSigningKey(accountKey, await trustContext(stores, given))
  const at = stores.clock()
  const sealed = sealPrivateKey(key, stores.sealer)
  await stores.changeBy(authority.author)(async ({ assertions, brands, record }) => {
    await assertions.put(rows, at)
    await brands.add(
      { accountId, displayName, addedAt: at },
      { keyId: publicKeyId, accountId, sealed, addedAt: at },
    )
    await (action === 'brand.add'
      ? record({ action, subject: accountId, details: { key: publicKeyId } })
      : record({ action, subject: publicKeyId, details: { account: accountId } }))
  })
  return { accountId, displayName, keyId: publicKeyId }
}

/** One file can contain everything, so each assertion counts once. */
function distinct(assertions: readonly UnverifiedAssertion[]): readonly UnverifiedAssertion[] {
  const byText = new Map(
    assertions.map((one) => [Buffer.from(encode(one)).toString('latin1').trimEnd(), one]),
  )
  return [...byText.values()]
}
