/** The interface of a login method. `discharge.ts` has a row for each. */
import type { Account } from '../../accounts/account.ts'
import type { SignIn } from '../../authority.ts'
import type { IdentityDependencies } from '../dependencies.ts'

/** A caveat to be discharged once a user has logged in. */
export interface PendingLogin {
  /** The digest of the caveat's id and payload, which a token is bound to. */
  readonly caveat: Uint8Array
  /** The public key that sealed the caveat, which its encryption proves. */
  readonly firstParty: Uint8Array
  readonly summary: string | undefined
  readonly client: Client
}

/** The program that requests the discharge, as seen from the network. */
export interface Client {
  readonly address: string
  readonly userAgent: string
}

export interface DischargeToken {
  readonly kind: string
  readonly value: Uint8Array
}

export interface InteractionKind {
  /** The method's name in `InteractionMethods`. */
  readonly method: string
  /** The kind of the token that the client returns. */
  readonly tokenKind: string
  /** Returns the offer under the method's name. Writes nothing, because the client has proved nothing yet. */
  offer(login: PendingLogin, deps: IdentityDependencies): Promise<Readonly<Record<string, string>>>
  /** Returns the login that the token proves. Throws a 401 for a token that is not valid for this caveat. */
  redeem(token: Uint8Array, caveat: Uint8Array, deps: IdentityDependencies): Promise<LoggedIn>
}

export interface LoggedIn {
  readonly account: Account
  readonly signIn: SignIn
  /** Conditions that limit the discharge. */
  readonly limits: readonly string[]
}

/** By method, the values that a client needs to let its user or agent log in. */
export type InteractionMethods = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The client must return with a token of one of these methods before the caveat can be discharged. */
export class InteractionRequired extends Error {
  override readonly name = 'InteractionRequired'
  readonly methods: InteractionMethods

  constructor(methods: InteractionMethods) {
    super('Log in first: open the page in a browser, or use an agent key.')
    this.methods = methods
  }
}
