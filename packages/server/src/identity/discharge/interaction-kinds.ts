/**
 * The ways to log in, a row each: what a client is offered, and whose login its token proves (contract/bakery.md 3.3).
 * A new way is a new row.
 */
import { invalidRequest } from '../../errors.ts'
import { agentInteraction } from '../agents/agent-interaction.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { browserWindow } from '../logins/browser-window.ts'
import { browserRedirect } from '../redirect/browser-redirect.ts'
import type {
  DischargeToken,
  InteractionKind,
  InteractionMethods,
  LoggedIn,
  PendingLogin,
} from './interaction.ts'

const KINDS: readonly InteractionKind[] = [browserWindow, browserRedirect, agentInteraction]

export async function offerInteractions(
  login: PendingLogin,
  deps: IdentityDependencies,
): Promise<InteractionMethods> {
  const offers = KINDS.map(async (kind) => [kind.method, await kind.offer(login, deps)] as const)
  return Object.fromEntries(await Promise.all(offers))
}

/** Throws `invalid-request` for an unknown kind, a 401 for an invalid token. */
export function redeemToken(
  { kind: name, value }: DischargeToken,
  caveat: Uint8Array,
  deps: IdentityDependencies,
): Promise<LoggedIn> {
  const kind = KINDS.find(({ tokenKind }) => tokenKind === name)
  if (kind) return kind.redeem(value, caveat, deps)
  const known = [...new Set(KINDS.map(({ tokenKind }) => `"${tokenKind}"`))].join(' and ')
  throw invalidRequest(`The token is of an unknown kind. This identity service knows ${known}.`)
}
