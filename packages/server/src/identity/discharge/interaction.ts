/** What each way to log in implements; `interaction-kinds.ts` has a row for each way. */
import type { Account } from '../../accounts/account.ts'
import type { SignIn } from '../../authority.ts'
import type { IdentityDependencies } from '../dependencies.ts'

/** A caveat to be discharged once someone has logged in. */
export interface PendingLogin {
  /** The digest of the caveat's id and payload: a token is bound to it. */
  readonly caveat: Uint8Array
  /** The public key that sealed the caveat; the box proves it. */
  readonly firstParty: Uint8Array
  readonly summary: string | undefined
  readonly client: Client
}

/** The program that asks for the discharge, as the network shows it. */
export interface Client {
  readonly address: string
  readonly userAgent: string
}

export interface DischargeToken {
  readonly kind: string
  readonly value: Uint8Array
}

export interface InteractionKind {
  /** Its name in `InteractionMethods`. */
  readonly method: string
  /** The kind of the token that the client comes back with. */
  readonly tokenKind: string
  /** The offer under the method's name. Writes nothing: the client has proved nothing yet. */
  offer(login: PendingLogin, deps: IdentityDependencies): Promise<Readonly<Record<string, string>>>
  /** Whose login it is. Throws a 401 for a token that is not valid for this caveat. */
  redeem(token: Uint8Array, caveat: Uint8Array, deps: IdentityDependencies): Promise<LoggedIn>
}

export interface LoggedIn {
  readonly account: Account
  readonly signIn: SignIn
  /** Conditions that limit what the discharge gives. */
  readonly limits: readonly string[]
}

/** By method, what a client needs to let its person (or agent) log in. */
export type InteractionMethods = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The caveat can be discharged once the client comes back with a token of one of these methods. */
export class InteractionRequired extends Error {
  override readonly name = 'InteractionRequired'
  readonly methods: InteractionMethods

  constructor(methods: InteractionMethods) {
    super('Log in first: open the page in a browser, or use an agent key.')
    this.methods = methods
  }
}
