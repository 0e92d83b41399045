/** The dependencies of operations on management tokens. */
import type { Stores } from '../stores.ts'
import type { LoginDependencies } from '../tokens/authentication/verify-session.ts'
import type { TokenDependencies } from '../tokens/dependencies.ts'
import type { RememberedManagers } from './tokens/manager.ts'

export interface ManagementDependencies
  extends Stores,
    Pick<TokenDependencies, 'keyring' | 'thirdParty' | 'baseUrl' | 'location' | 'uses'>,
    Omit<LoginDependencies, 'source'> {
  readonly managers: RememberedManagers
  /** Lifetimes in milliseconds. */
  readonly lifetime: { readonly standard: number; readonly most: number }
}
