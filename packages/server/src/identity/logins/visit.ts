/** What a browser at the visit URL is to be shown: the state that a login is in. */

import type { IdentityDependencies } from '../dependencies.ts'
import { IdentityError } from '../errors.ts'
import type { CompletedLogin } from './completed-login-store.ts'
import { openFor, toBytes, type Visit } from './sealed-texts.ts'

export type VisitState =
  | { readonly state: 'pending'; readonly visit: Visit }
  | { readonly state: 'completed'; readonly decision: CompletedLogin['decision'] }
  | { readonly state: 'expired' }

/** Throws {@link IdentityError} `bad request` for a text that this service did not make. */
export async function visitState(
  did: string,
  { keyring, completedLogins, clock }: Pick<IdentityDependencies, 'keyring' | 'completedLogins' | 'clock'>,
): Promise<VisitState> {
  const visit = await openFor('visit', did, keyring)
  if (!visit) {
    throw new IdentityError(
      'bad request',
      'This address is not complete, or not one of this identity service. Start the login again in your program.',
    )
  }
  const completed = await completedLogins.find(toBytes(visit.login))
  if (completed) return { state: 'completed', decision: completed.decision }
  return clock().getTime() < visit.expires ? { state: 'pending', visit } : { state: 'expired' }
}
