import type { AccountId } from '@ratafia/api'
import { PatternBudget } from '@ratafia/macaroon/conditions'
import type { Tally } from '../counting/tally.ts'
import type { PackageReference } from '../package-directory/resolve.ts'
import type { Stores } from '../stores.ts'
import type { IdentityService } from '../third-party/identity-service.ts'
import type { TokenUses } from './activity/token-uses.ts'
import type { RememberedLogins } from './authentication/authentication.ts'
import type { SessionOpening } from './open-session.ts'
import type { IdentitySource } from './root-macaroon.ts'

type AccountIdOf = (
  person: { readonly subject: string; readonly username: string | undefined },
  source: string,
) => Promise<AccountId>

export interface TokenDependencies extends Stores, SessionOpening {
  readonly rememberedLogins: RememberedLogins
  readonly uses: TokenUses
  readonly tally: Tally
  /**
   * Returns the account of the person that the identity service vouched for, whose request comes from the address
   * `source`. A new account is named after `username`, if the identity service declared one. Throws `account-unknown`.
   */
  readonly accountIdOf: AccountIdOf
  /** The same, except that it throws `account-unknown` instead of creating an account. */
  readonly knownAccountIdOf: AccountIdOf
  /** The service where people prove who they are. */
  readonly thirdParty: IdentityService
  readonly identity: IdentitySource
  /** The URL that people know this service by. */
  readonly baseUrl: string
  /** The host of the base URL. */
  readonly location: string
  readonly snapIds: (packages: readonly PackageReference[]) => Promise<readonly string[]>
  /** Returns the snap ids that no package has. */
  readonly unknownPackages: (snapIds: readonly string[]) => Promise<readonly string[]>
  /** The default and the maximum lifetime in milliseconds; no maximum if `most` is undefined. */
  readonly lifetime: { readonly standard: number; readonly most: number | undefined }
}

/** Returns the dependencies of a request from the address `source`. */
export const forRequest = (source: string, deps: TokenDependencies): RequestDependencies => ({
  ...deps,
  source,
  patterns: new PatternBudget(),
})

export interface RequestDependencies extends TokenDependencies {
  /** The address that this request comes from. */
  readonly source: string
  /** Shared by all macaroons that this request presents. */
  readonly patterns: PatternBudget
}
