/** The dependencies of the exchange of ID tokens. */
import type { AuditedChange, Author } from '../change.ts'
import type { Stores } from '../stores.ts'
import type { SessionOpening } from '../tokens/open-session.ts'
import type { GrantedDeps } from './granted.ts'
import type { UnverifiedIdToken, VerifiedIdToken } from './id-token/id-token.ts'
import type { FoundIssuer } from './issuers/issuer.ts'
import type { MintDeps } from './mint.ts'
import type { Outcome } from './refusal.ts'

export interface ExchangeDependencies extends Stores, GrantedDeps, MintDeps, Pick<SessionOpening, 'entryOf'> {
  /** Finds the issuer whose URL is the text of `iss`. Only reads the database. */
  readonly findIssuer: (url: string) => Promise<FoundIssuer | undefined>
  /** Verifies an ID token for this service with the issuer's keys. Throws `ExchangeRefusal` and `KeysUnavailable`. */
  readonly verify: (token: UnverifiedIdToken, by: FoundIssuer) => Promise<VerifiedIdToken>
  /** The base URL, without a trailing slash: the audience of ID tokens for this service. */
  readonly baseUrl: string
  /** Adds an entry to the audit log for an event that changes no other table, and returns its id. */
  readonly record: (change: AuditedChange, author: Author) => Promise<string>
  /** Counts an exchange in the metrics. The URL is that of an issuer that the operator added. */
  readonly count: (issuer: string | undefined, outcome: Outcome) => void
}
