/** What a way to log in is; `interaction-kinds.ts` has a row for each. */
import type { Account } from '../../accounts/account.ts'
import type { IdentityDependencies } from '../dependencies.ts'

/** A caveat that waits for somebody to log in. */
export interface PendingLogin {
  /** The digest of the caveat's id and payload: what a token is bound to. */
  readonly caveat: Uint8Array
  /** Who sealed the caveat; the box proves it. */
  readonly firstParty: Uint8Array
  readonly summary: string | undefined
  readonly client: Client
}

/** Whoever asks for the discharge, as far as the network tells. */
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
  /** What is offered under the method's name. Writes nothing: nobody has proved anything yet. */
  offer(login: PendingLogin, deps: IdentityDependencies): Promise<Readonly<Record<string, string>>>
  /** Who logged in. Throws IdentityError `permission denied` for a token that is not good for this caveat. */
  redeem(token: Uint8Array, caveat: Uint8Array, deps: IdentityDependencies): Promise<Account>
}
