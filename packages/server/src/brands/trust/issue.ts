/** The assertions that the owner of a root signs, accounts and their keys; and whose root a private key is. */
import {
  encodePublicKey,
  formatTimestamp,
  type PrivateKey,
  type PublicKey,
  sign,
  type TypeName,
  type UnverifiedAssertion,
} from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { explainToOperator } from '../assertion-file.ts'
import { rootAssertions } from './trust.ts'

/** A root's account and private key, which are read for one signature and stored nowhere. */
export interface Issuer {
  readonly accountId: string
  readonly key: PrivateKey
}

export interface NewAccount {
  readonly accountId: string
  /** The default is the account id. */
  readonly displayName?: string | undefined
}

export interface NewAccountKey {
  readonly accountId: string
  readonly publicKey: PublicKey
  /** Different from the names of the account's other keys: lower-case letters, digits and single dashes. */
  readonly name: string
  readonly since: Date
  /** When it expires; undefined if never. */
  readonly until?: Date | undefined
  /** The types that the key may sign. An empty list allows all. */
  readonly allow?: readonly TypeName[]
  /** The default is 0, the first. */
  readonly revision?: number
}

/** Throws `invalid-field` for values that an account assertion can't have. */
export function issueAccount(
  { accountId, displayName = accountId }: NewAccount,
  issuer: Issuer,
  at: Date,
): UnverifiedAssertion<'account'> {
  const headers = {
    'authority-id': issuer.accountId,
    'account-id': accountId,
    'display-name': displayName,
    username: accountId,
    validation: 'unproven',
    timestamp: formatTimestamp(at),
  }
  return explainToOperator(
    () => sign({ type: 'account', headers }, issuer.key, { signedAt: at }),
    `The account ${accountId} cannot be created`,
  )
}

/** Throws `invalid-field` for values that an account-key assertion can't have. */
export function issueAccountKey(
  { accountId, publicKey, name, since, until, allow = [], revision = 0 }: NewAccountKey,
  issuer: Issuer,
  at: Date,
): UnverifiedAssertion<'account-key'> {
  const headers = {
    'authority-id': issuer.accountId,
    'public-key-sha3-384': publicKey.id,
    'account-id': accountId,
    name,
    since: formatTimestamp(since),
    until: until && formatTimestamp(until),
    // Absent instead of empty: with the header the format is 1, which older snapd refuses.
    ...(allow.length > 0 ? { constraints: allow.map((type) => ({ headers: { type } })) } : {}),
    revision: String(revision),
  }
  const body = encodePublicKey(publicKey)
  return explainToOperator(
    () => sign({ type: 'account-key', headers, body }, issuer.key, { signedAt: at }),
    `The key ${publicKey.id} of ${accountId} cannot be certified`,
  )
}

/** Returns the root that signs with this key. Throws `invalid-field` if the key belongs to no root. */
export async function findIssuer(key: PrivateKey, stores: Stores): Promise<Issuer> {
  const { id } = key.publicKey
  const roots = await rootAssertions(stores)
  const own = roots.find((root) => root.type === 'account-key' && root.fields.publicKeyId === id)
  if (own?.type === 'account-key') return { accountId: own.fields.accountId, key }
  throw invalidField(
    `The root key ${id} belongs to no trust root of this service. \`ratafia trust list\` shows their keys; \`ratafia trust create-root\` creates a root.`,
  )
}
