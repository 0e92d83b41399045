/** What signing in to the console works with. */
import type { AccountId } from '@ratafia/api'
import type { Fetch } from '../../identity/discharge/external-identity.ts'
import type { ManagementDependencies } from '../../management/dependencies.ts'
import type { Stores } from '../../stores.ts'

export interface SignInDependencies extends Stores {
  readonly management: ManagementDependencies
  /** How people know this service, without a trailing slash. */
  readonly baseUrl: string
  /**
   * Asks the identity service, for a browser at this address: within this process if it is the bundled one, because the
   * base URL may not be reachable from here.
   */
  readonly fetchFor: (address: string) => Fetch
  readonly identity: {
    /** Without a trailing slash. */
    readonly location: string
    /**
     * Ends the sign-in of the browser there that a session of the console rests on. Undefined where only its pages can.
     */
    readonly endSignIn: ((signIn: EndedSignIn) => Promise<void>) | undefined
  }
}

interface EndedSignIn {
  readonly accountId: AccountId
  /** When the person signed in there. */
  readonly at: Date
  /** Of the browser. */
  readonly address: string
}
