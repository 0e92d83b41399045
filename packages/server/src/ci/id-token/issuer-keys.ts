import type { KeyObject } from 'node:crypto'

/** As the database has them. */
export interface StoredIssuerKeys {
  /** Changes with the keys. */
  readonly revision: string
  /** A JSON Web Key Set, from {@link readKeySet}. */
  readonly keys: string
  /** JSON: a list of names from the discovery document; empty where it says nothing. */
  readonly algorithms: string
}

export interface IssuerKeys {
  readonly revision: string
  /** That a token of the issuer may be signed with. */
  readonly algorithms: readonly string[]
  readonly keys: readonly IssuerKey[]
}

export interface IssuerKey {
  readonly kid: string | undefined
  /** That the key can be used with. */
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

/**
 * The public keys of a JSON Web Key Set that verify ID tokens, written in one way. Others are left out: symmetric and
 * private ones, those for encryption, RSA below 2048 bits. Throws {@link RequestError} `invalid-field`: not a key set, or
 * over 100 keys.
 */
export function readKeySet(_text: string): string {
  throw new Error('not yet')
}

export async function importIssuerKeys(_stored: StoredIssuerKeys): Promise<IssuerKeys> {
  throw new Error('not yet')
}
