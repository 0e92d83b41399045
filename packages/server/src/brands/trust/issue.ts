/** What the owner of a root signs: who an account is, and which keys it has. */
import {
  encodePublicKey,
  formatTimestamp,
  type PrivateKey,
  type PublicKey,
  sign,
  type TypeName,
  type UnverifiedAssertion,
} from '@ratafia/assertions'
import { explainToOperator } from '../assertion-file.ts'

/** Its account and its private key, which are read for one signature and stored nowhere. */
export interface Issuer {
  readonly accountId: string
  readonly key: PrivateKey
}

export interface NewAccount {
  readonly accountId: string
  /** Default: the account id. */
  readonly displayName?: string | undefined
}

export interface NewAccountKey {
  readonly accountId: string
  readonly publicKey: PublicKey
  /** Unlike those of the account's other keys: lower-case letters, digits and single dashes. */
  readonly name: string
  readonly since: Date
  /** Undefined: it never expires. */
  readonly until?: Date | undefined
  /** What the key may sign; none means everything. */
  readonly allow?: readonly TypeName[]
  /** Default 0, the first. */
  readonly revision?: number
}

/** Throws `invalid-field` for what an account assertion cannot have. */
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
    `The account ${accountId} cannot be made`,
  )
}

/** Throws `invalid-field` for what an account-key assertion cannot have. */
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
    // Absent, not empty: with the header the format is 1, which older snapd refuses.
    ...(allow.length > 0 ? { constraints: allow.map((type) => ({ headers: { type } })) } : {}),
    revision: String(revision),
  }
  const body = encodePublicKey(publicKey)
  return explainToOperator(
    () => sign({ type: 'account-key', headers, body }, issuer.key, { signedAt: at }),
    `The key ${publicKey.id} of ${accountId} cannot be certified`,
  )
}
