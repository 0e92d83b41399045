/** Takes an account that serials are signed for, and a key to sign them with. */
import { encode, type PrivateKey, type UnverifiedAssertion } from '@ratafia/assertions'
import type { Changing } from '../change.ts'
import type { Sealer } from '../keyring/sealing.ts'
import { assertionIn, type NamedFile, refused } from './assertion-file.ts'
import type { BrandStore } from './brand-store.ts'
import { checkSigningKey } from './keys/signing-key-fit.ts'
import { readPrivateKey, sealPrivateKey } from './keys/signing-key-secret.ts'
import type { AssertionStore } from './trust/assertion-store.ts'
import { checkAssertions, findAssertion, type TrustDeps, trustContext } from './trust/trust.ts'

export interface AddBrandDeps extends TrustDeps {
  readonly brands: BrandStore
  readonly change: Changing<{ readonly assertions: AssertionStore; readonly brands: BrandStore }>
  readonly sealer: Sealer
}

export interface AddedKey {
  readonly accountId: string
  readonly displayName: string
  readonly keyId: string
}

/** Files: assertions may have others beside them that their chains need. */
export interface BrandFiles {
  readonly account: NamedFile
  readonly accountKey: NamedFile
  readonly signingKey: NamedFile
  readonly passphrase?: string | undefined
}

/**
 * Adds a brand, or another account that models name in `serial-authority`, with its first signing key. Throws
 * `invalid-field`, and stores nothing, when the key is not that of the account-key, the account-key not that of the
 * account, a chain reaches no root, the key is not valid now, too small, or may not sign serials.
 */
export async function addBrand(files: BrandFiles, deps: AddBrandDeps): Promise<AddedKey> {
  const account = assertionIn(files.account, 'account')
  const accountKey = assertionIn(files.accountKey, 'account-key')
  const key = await readPrivateKey(files.signingKey, files.passphrase)
  return storeKey(
    {
      action: 'brand.add',
      account: account.assertion,
      accountKey: accountKey.assertion,
      key,
      keyName: files.signingKey.name,
      others: [...account.others, ...accountKey.others],
    },
    deps,
  )
}

/**
 * Adds another key to a brand that is there; a key that was disabled signs again. Its account-key assertion is the one
 * that is stored, or given. Throws as {@link addBrand}.
 */
export async function addSigningKey(
  files: Pick<BrandFiles, 'signingKey' | 'passphrase'> & { readonly accountKey?: NamedFile | undefined },
  deps: AddBrandDeps,
): Promise<AddedKey> {
  const key = await readPrivateKey(files.signingKey, files.passphrase)
  const { id } = key.publicKey
  const given = files.accountKey && assertionIn(files.accountKey, 'account-key')
  const accountKey = given?.assertion ?? (await findAssertion('account-key', [id], deps))
  if (accountKey?.type !== 'account-key') {
    throw refused(`There is no account-key assertion for key ${id}. Give it with --account-key.`)
  }
  const { accountId } = accountKey.fields
  const account = await findAssertion('account', [accountId], deps)
  if (account?.type !== 'account' || !(await deps.brands.find(accountId))) {
    throw refused(
      `The key ${id} is of ${accountId}, which is no brand yet. Add it with \`ratafia brands add\`.`,
    )
  }
  const others = given?.others ?? []
  return storeKey(
    { action: 'signing-key.add', account, accountKey, key, keyName: files.signingKey.name, others },
    deps,
  )
}

interface Given {
  readonly action: 'brand.add' | 'signing-key.add'
  readonly account: UnverifiedAssertion<'account'>
  readonly accountKey: UnverifiedAssertion<'account-key'>
  readonly key: PrivateKey
  readonly keyName: string
  readonly others: readonly UnverifiedAssertion[]
}

async function storeKey(
  { action, account, accountKey, key, keyName, others }: Given,
  deps: AddBrandDeps,
): Promise<AddedKey> {
  const { accountId, displayName } = account.fields
  const { publicKeyId } = accountKey.fields
  if (accountKey.fields.accountId !== accountId) {
    throw refused(
      `The account-key ${publicKeyId} belongs to ${accountKey.fields.accountId}, not to ${accountId}. Give the account-key of ${accountId}.`,
    )
  }
  if (key.publicKey.id !== publicKeyId) {
    throw refused(
      `${keyName} is the private half of key ${key.publicKey.id}, but the account-key assertion is about ${publicKeyId}. Give the two that belong together.`,
    )
  }
  const given = distinct([account, accountKey, ...others])
  const rows = await checkAssertions(given, deps)
  await checkSigningKey(accountKey, await trustContext(deps, given))
  const at = deps.clock()
  const sealed = sealPrivateKey(key, deps.sealer)
  await deps.change(async ({ assertions, brands, record }) => {
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

/** One file may hold everything: each assertion counts once. */
function distinct(assertions: readonly UnverifiedAssertion[]): readonly UnverifiedAssertion[] {
  const byText = new Map(
    assertions.map((one) => [Buffer.from(encode(one)).toString('latin1').trimEnd(), one]),
  )
  return [...byText.values()]
}
