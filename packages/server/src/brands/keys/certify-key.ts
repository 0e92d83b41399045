/** Certifies another key of an account, or the same key again. */
import {
  checkKeyPolicy,
  encode,
  isTypeName,
  type PrivateKey,
  type PublicKey,
  SIGNING_POLICY,
  TYPE_NAMES,
  type TypeName,
} from '@ratafia/assertions'
import { invalidField, noSuchRecord, quote } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { explainToOperator } from '../assertion-file.ts'
import { findIssuer, issueAccountKey } from '../trust/issue.ts'
import { checkAssertions, findAssertion } from '../trust/trust.ts'

export interface KeyToCertify {
  readonly accountId: string
  readonly publicKey: PublicKey
  /** The private key of the root that signed the account. It signs, and is not stored. */
  readonly rootKey: PrivateKey
  readonly name: string
  /** The default is now. */
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  /** Types of assertions that the key may sign. An empty list allows all. */
  readonly allow: readonly string[]
}

/**
 * Returns the account-key assertion, with the next revision if this key already has one. Stores nothing: the private
 * key can be elsewhere. Throws `invalid-field` if the key is too small to sign serials, another of its keys has the
 * name, or the root key belongs to no root, and `no-such-record` if the account is unknown.
 */
export async function certifyKey(key: KeyToCertify, stores: Stores): Promise<Uint8Array> {
  const { accountId, publicKey, name, until } = key
  const allow = key.allow.map(readType)
  // An account-key for a smaller key would be refused only when the key is added.
  explainToOperator(() => checkKeyPolicy(publicKey, SIGNING_POLICY), 'The key cannot be certified')
  const issuer = await findIssuer(key.rootKey, stores)
  if (!(await findAssertion('account', [accountId], stores))) {
    throw noSuchRecord(
      `There is no account ${accountId}. \`ratafia brands create\` creates one with its first key.`,
      { kind: 'account', id: accountId },
    )
  }
  await requireFreeName(key, stores)
  const stored = await findAssertion('account-key', [publicKey.id], stores)
  if (stored && stored.fields.accountId !== accountId) {
    throw invalidField(`The key ${publicKey.id} belongs to ${stored.fields.accountId}. Give another key.`)
  }
  const at = stores.clock()
  const revision = stored ? stored.revision + 1 : 0
  const subject = { accountId, publicKey, name, since: key.since ?? at, until, allow, revision }
  const accountKey = issueAccountKey(subject, issuer, at)
  await checkAssertions([accountKey], stores)
  return encode(accountKey)
}

function readType(text: string): TypeName {
  if (isTypeName(text)) return text
  throw invalidField(
    `${quote(text)} is not a known type of assertion. A key can sign these types: ${TYPE_NAMES.join(', ')}.`,
  )
}

/** snapd refuses two keys of one account with the same name (contract/devices.md 3.7). */
async function requireFreeName({ accountId, publicKey, name }: KeyToCertify, stores: Stores): Promise<void> {
  for (const { keyId } of await stores.brands.keys(accountId)) {
    const other = await findAssertion('account-key', [keyId], stores)
    if (keyId === publicKey.id || other?.fields.name !== name) continue
    throw invalidField(
      `The key ${keyId} of ${accountId} has the name ${name}. Pass another name with --name.`,
    )
  }
}
