/** The dependencies of signing in to the console. */
import type { AccountId } from '@ratafia/api'
import type { Fetch } from '../../identity/discharge/external-identity.ts'
import type { ManagementDependencies } from '../../management/dependencies.ts'
import type { Stores } from '../../stores.ts'

export interface SignInDependencies extends Stores {
  readonly management: ManagementDependencies
  /** The public URL of this service, without a trailing slash. */
  readonly baseUrl: string
  /**
   * Sends requests to the identity service, for a browser at this address. Requests to the bundled one stay within this
   * process, because the base URL may not be reachable from here.
   */
  readonly fetchFor: (address: string) => Fetch
  readonly identity: {
    /** The identity service's URL, without a trailing slash. */
    readonly location: string
    /**
     * Signs the browser out of the identity service where its console session began. Undefined if only that service's
     * own pages can do so.
     */
    readonly endSignIn: ((signIn: EndedSignIn) => Promise<void>) | undefined
  }
}

interface EndedSignIn {
  readonly accountId: AccountId
  /** When the user signed in there. */
  readonly at: Date
  /** The network address of the browser. */
  readonly address: string
}
