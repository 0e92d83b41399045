/** Finds the state of a login, for a browser that opens its visit URL. */
import { invalidRequest } from '../../errors.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { CompletedLogin } from './completed-login-store.ts'
import { openFor, toBytes, type Visit } from './sealed-texts.ts'

export type VisitState =
  | { readonly state: 'pending'; readonly visit: Visit }
  | { readonly state: 'completed'; readonly visit: Visit; readonly decision: CompletedLogin['decision'] }
  | { readonly state: 'expired'; readonly visit: Visit }

/** Returns the state. Throws `invalid-request` for a string that this service did not seal. */
export async function visitState(
  did: string,
  { keyring, completedLogins, clock }: IdentityDependencies,
): Promise<VisitState> {
  const visit = await openFor('visit', did, keyring)
  if (!visit) {
    throw invalidRequest(
      'This address is incomplete, or not from this identity service. Start the login again in your program.',
    )
  }
  const completed = await completedLogins.find(toBytes(visit.login))
  if (completed) return { state: 'completed', visit, decision: completed.decision }
  return { state: clock().getTime() < visit.expires ? 'pending' : 'expired', visit }
}
