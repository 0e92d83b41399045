import { type Constraints, checkConstraintForms, readConstraints } from '../constraints/constraints.ts'
import {
  accountId,
  digest,
  faulty,
  optionalTimestamp,
  publicKeyWithId,
  text,
  timestamp,
} from '../headers/header-checks.ts'
import type { PublicKey } from '../keys/public-key.ts'
import { quote } from '../text.ts'
import type { Source, TypeRow } from './row.ts'

export interface AccountKeyFields {
  readonly publicKeyId: string
  readonly accountId: string
  readonly name: string | undefined
  /** When the key can sign for the first time. */
  readonly since: Date
  /** When the key expires; undefined if it does not. */
  readonly until: Date | undefined
  /** The assertions that the key may sign; undefined if it may sign any. */
  readonly constraints: Constraints | undefined
  readonly publicKey: PublicKey
}

/** A trusted account's statement that a key belongs to an account. */
export const accountKey: TypeRow<AccountKeyFields> = {
  authority: true,
  primaryKey: ['public-key-sha3-384'],
  maxFormat: 1,
  formatOf: (headers) => (headers.has('constraints') ? 1 : 0),
  read: (source) => ({
    ...readKey(source),
    name: source.headers.has('name') ? keyName(source) : undefined,
    constraints: readConstraints(source.headers),
  }),
  rules: ({ headers }) => checkConstraintForms(headers),
}

export interface AccountKeyRequestFields extends Omit<AccountKeyFields, 'name' | 'constraints'> {
  readonly name: string
}

/** A request to register a key, signed with that key. */
export const accountKeyRequest: TypeRow<AccountKeyRequestFields> = {
  authority: false,
  primaryKey: ['public-key-sha3-384'],
  maxFormat: 0,
  read: (source) => ({ ...readKey(source), name: keyName(source) }),
}

function readKey({ headers, body }: Source) {
  const publicKeyId = digest(headers, 'public-key-sha3-384')
  const [since, until] = [timestamp(headers, 'since'), optionalTimestamp(headers, 'until')]
  if (until !== undefined && until < since) throw faulty('until', 'is before "since"', 'header-mismatch')
  const mismatch = 'the body is not the key that header "public-key-sha3-384" names'
  return {
    publicKeyId,
    accountId: accountId(headers, 'account-id'),
    since,
    until,
    publicKey: publicKeyWithId(Buffer.from(body).toString('utf8'), publicKeyId, mismatch),
  }
}

/** Returns the key's name: lower-case letters, digits and single dashes inside, with at least one letter. */
function keyName({ headers }: Source): string {
  const name = text(headers, 'name')
  // The contract's pattern backtracks almost forever on hostile names. These two are equivalent.
  if (!/^[a-z0-9](?:-?[a-z0-9])*$/.test(name) || !/[a-z]/.test(name)) {
    throw faulty('name', `is not the name of a key: ${quote(name)}`)
  }
  return name
}
