/** What the exchange of an ID token works with. */
import type { AuditedChange, Author } from '../change.ts'
import type { Stores } from '../stores.ts'
import type { SessionOpening } from '../tokens/open-session.ts'
import type { GrantedDeps } from './granted.ts'
import type { UnverifiedIdToken, VerifiedIdToken } from './id-token/id-token.ts'
import type { FoundIssuer } from './issuers/issuer.ts'
import type { MintDeps } from './mint.ts'
import type { Outcome } from './refusal.ts'

export interface ExchangeDependencies extends Stores, GrantedDeps, MintDeps, Pick<SessionOpening, 'entryOf'> {
  /** By the text of `iss`. Asks only the database. */
  readonly findIssuer: (url: string) => Promise<FoundIssuer | undefined>
  /** By the keys of the issuer, for this service. Throws `ExchangeRefusal`, and `KeysUnavailable`. */
  readonly verify: (token: UnverifiedIdToken, by: FoundIssuer) => Promise<VerifiedIdToken>
  /** The base URL, without a slash at its end: the audience of ID tokens for this service. */
  readonly baseUrl: string
  /** Adds an entry to the audit log for an event that changes no other table, and returns its id. */
  readonly record: (change: AuditedChange, author: Author) => Promise<string>
  /** For the metrics. The URL is that of an issuer that the operator added. */
  readonly count: (issuer: string | undefined, outcome: Outcome) => void
}
