import type { Issuer } from '../issuers/issuer.ts'
import type { UnverifiedIdToken, VerifiedIdToken } from './id-token.ts'
import type { IssuerKeys } from './issuer-keys.ts'

export interface VerifyBy {
  readonly issuer: Issuer
  readonly keys: IssuerKeys
  /** The base URL, without a slash at its end (A3). */
  readonly audience: string
  readonly now: Date
}

/** Throws {@link ExchangeRefusal}. `key-unknown` and `signature` can mean that the keys are outdated (A18). */
export async function verifyIdToken(_token: UnverifiedIdToken, _by: VerifyBy): Promise<VerifiedIdToken> {
  throw new Error('not yet')
}
