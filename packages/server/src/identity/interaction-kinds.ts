/**
 * The ways to log in, a row each: what a client is offered, and what the token it comes back with is worth
 * (contract/bakery.md 3.3). A new way is a new row.
 */
import type { Account } from '../accounts/account.ts'
import { agentInteraction } from './agent-interaction.ts'
import { browserWindow } from './browser-window.ts'
import type { IdentityDependencies } from './dependencies.ts'
import { IdentityError, type InteractionMethods } from './errors.ts'

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
  /** Who logged in. Throws {@link IdentityError} `permission denied` for a token that is not good for this caveat. */
  redeem(token: Uint8Array, caveat: Uint8Array, deps: IdentityDependencies): Promise<Account>
}

const KINDS: readonly InteractionKind[] = [browserWindow, agentInteraction]

export async function offerInteractions(
  login: PendingLogin,
  deps: IdentityDependencies,
): Promise<InteractionMethods> {
  const offers = KINDS.map(async (kind) => [kind.method, await kind.offer(login, deps)] as const)
  return Object.fromEntries(await Promise.all(offers))
}

/** Throws {@link IdentityError} `bad request` for an unknown kind, `permission denied` for a token that is no good. */
export function redeemToken(
  { kind: name, value }: DischargeToken,
  caveat: Uint8Array,
  deps: IdentityDependencies,
): Promise<Account> {
  const kind = KINDS.find(({ tokenKind }) => tokenKind === name)
  if (kind) return kind.redeem(value, caveat, deps)
  const known = KINDS.map(({ tokenKind }) => `"${tokenKind}"`).join(' and ')
  throw new IdentityError(
    'bad request',
    `The token is of an unknown kind. This identity service knows ${known}.`,
  )
}
