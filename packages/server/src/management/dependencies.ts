/** What the operations on management tokens work with. */
import type { Authority } from '../authority.ts'
import type { LoginDependencies } from '../tokens/authentication/verify-session.ts'
import type { TokenDependencies } from '../tokens/dependencies.ts'
import type { GrantStore } from './grants/grant-store.ts'
import type { RememberedManagers } from './tokens/manager.ts'

export interface ManagementDependencies
  extends Pick<TokenDependencies, 'keyring' | 'thirdParty' | 'baseUrl' | 'location'>,
    Omit<LoginDependencies, 'source'> {
  readonly grants: Pick<GrantStore, 'heldBy'>
  readonly managers: RememberedManagers
  /** Milliseconds. */
  readonly lifetime: { readonly standard: number; readonly most: number }
}

/** Where a request came from, for the audit log. */
export interface RequestOrigin {
  readonly source: string
  /** The id of the request, as the log has it. */
  readonly request: string
}

/** Who makes a request to the management API. */
export type AuthorityOf = (origin: RequestOrigin) => Authority
