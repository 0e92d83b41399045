/** What the operations on management tokens work with. */
import type { Stores } from '../stores.ts'
import type { LoginDependencies } from '../tokens/authentication/verify-session.ts'
import type { TokenDependencies } from '../tokens/dependencies.ts'
import type { RememberedManagers } from './tokens/manager.ts'

export interface ManagementDependencies
  extends Stores,
    Pick<TokenDependencies, 'keyring' | 'thirdParty' | 'baseUrl' | 'location' | 'uses'>,
    Omit<LoginDependencies, 'source'> {
  readonly managers: RememberedManagers
  /** Milliseconds. */
  readonly lifetime: { readonly standard: number; readonly most: number }
}
