/** What the operations on management tokens work with. */

import type { GrantStore } from '../grants/grant-store.ts'
import type { AgentStore } from '../identity/agents/agent-store.ts'
import type { LoginDependencies } from '../tokens/authentication/verify-session.ts'
import type { TokenDependencies } from '../tokens/dependencies.ts'
import type { RememberedManagers } from './tokens/manager.ts'

export interface ManagementDependencies
  extends Pick<TokenDependencies, 'keyring' | 'thirdParty' | 'baseUrl' | 'location' | 'uses'>,
    Omit<LoginDependencies, 'source'> {
  readonly grants: Pick<GrantStore, 'heldBy'>
  readonly agents: Pick<AgentStore, 'find'>
  readonly managers: RememberedManagers
  /** Milliseconds. */
  readonly lifetime: { readonly standard: number; readonly most: number }
}
