/** Adds or creates trust roots: accounts and their keys. The service trusts everything they sign. */
import {
  checkKeyPolicy,
  checkKeyValidNow,
  encode,
  encodeStream,
  type PrivateKey,
  trustRoots,
  type UnverifiedAssertion,
  verifySignature,
} from '@ratafia/assertions'
import { type Authority, requireForAll } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { explainToOperator, type NamedFile, readAssertions } from '../assertion-file.ts'
import { issueAccount, issueAccountKey, type NewAccount } from './issue.ts'
import { BUILT_IN, findAssertion, requireUnusedKey, rootAssertions } from './trust.ts'

export interface AddedRoot {
  readonly accountId: string
  readonly keyIds: readonly string[]
}

type Root = UnverifiedAssertion<'account' | 'account-key'>

/**
 * Adds account and account-key assertions that a root signed for itself. An account needs a key, and a key its account,
 * among the files or stored already. Throws `permission-denied`, and `invalid-field` if one of them doesn't fit; then
 * it adds nothing.
 */
export async function addTrustRoots(
  { files, authority }: { readonly files: readonly NamedFile[]; readonly authority: Authority },
  stores: Stores,
): Promise<readonly AddedRoot[]> {
  requireForAll(authority, 'roles:manage')
  const given = files.flatMap((file) => readAssertions(file).map((one) => rootIn(file, one)))
  const builtIn = given.find((one) =>
    BUILT_IN.some(({ fields }) => accountOf(fields) === accountOf(one.fields)),
  )
  if (builtIn) throw invalidField(`${accountOf(builtIn.fields)} is built in. You don't need to add it.`)
  const all = [...given, ...(await rootAssertions(stores))]
  for (const one of given) checkRoot(one, all, stores.clock())
  explainToOperator(() => trustRoots(all), 'These are not a trust root')
  const rows = given.map((one) => ({
    type: one.type,
    primaryKey: one.primaryKey.join('/'),
    accountId: accountOf(one.fields),
    encoded: encode(one),
  }))
  const added = [...new Set(rows.map(({ accountId }) => accountId))].map((accountId) => ({
    accountId,
    keyIds: given.flatMap(({ fields }) =>
      'publicKeyId' in fields && fields.accountId === accountId ? [fields.publicKeyId] : [],
    ),
  }))
  await stores.changeBy(authority.author)(async ({ assertions, record }) => {
    await assertions.addRoots(rows, stores.clock())
    for (const { accountId, keyIds } of added) {
      await record({ action: 'trust.add', subject: accountId, details: { keys: keyIds } })
    }
  })
  return added
}

function rootIn({ name }: NamedFile, assertion: UnverifiedAssertion): Root {
  if (assertion.type === 'account' || assertion.type === 'account-key') return assertion
  throw invalidField(
    `${name} has a ${assertion.type} assertion. A trust root is an account and its account-keys.`,
  )
}

const accountOf = (fields: UnverifiedAssertion['fields']): string =>
  'accountId' in fields ? fields.accountId : ''

/** Checks that a root certifies itself: its authority is its own account, and one of its own keys signed it. */
function checkRoot(one: Root, all: readonly UnverifiedAssertion[], now: Date): void {
  const accountId = accountOf(one.fields)
  const what = `The ${one.type} assertion ${one.primaryKey.join('/')} is not a trust root`
  if (one.authorityId !== accountId) {
    throw invalidField(
      `${what}: ${one.authorityId} signed it for ${accountId}. Add the root ${one.authorityId} instead, and add the assertions that it signed with \`ratafia brands add\`.`,
    )
  }
  const key = all.find((other) => other.type === 'account-key' && other.fields.publicKeyId === one.signKeyId)
  if (key?.type !== 'account-key' || key.fields.accountId !== accountId) {
    throw invalidField(
      `${what}: the account-key assertion of ${one.signKeyId}, which signed it, is missing. Add both.`,
    )
  }
  explainToOperator(() => verifySignature(one, key.fields.publicKey), what)
  if (one.type !== 'account-key') return
  explainToOperator(() => {
    checkKeyPolicy(one.fields.publicKey)
    checkKeyValidNow(one, now)
  }, what)
}

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

/** Throws `permission-denied`, and `invalid-field`, with nothing trusted, if the account exists or can't be a root. */
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
