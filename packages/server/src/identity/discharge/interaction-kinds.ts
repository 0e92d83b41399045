/**
 * The ways to log in, a row each: what a client is offered, and what the token it comes back with is worth
 * (contract/bakery.md 3.3). A new way is a new row.
 */
import type { Account } from '../../accounts/account.ts'
import { agentInteraction } from '../agents/agent-interaction.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { IdentityError, type InteractionMethods } from '../errors.ts'
import { browserWindow } from '../logins/browser-window.ts'
import type { DischargeToken, InteractionKind, PendingLogin } from './interaction.ts'

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
