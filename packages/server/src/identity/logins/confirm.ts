/** Approves or rejects a login, for a signed-in user. */
import { seenBy } from '../../accounts/ended-logins/login-mark.ts'
import { accountActor } from '../../change.ts'
import { invalidRequest, unauthorized } from '../../errors.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { SignedIn, SignedInSince } from './browser-session.ts'
import type { CompletedLogin } from './completed-login-store.ts'
import { openFor, sealFor, toBytes, toText, type Visit } from './sealed-texts.ts'
import { FETCH_MS } from './wait.ts'

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

/**
 * Returns the text that the confirmation form contains. It is only valid for this login and this signed-in
 * browser, so that users confirm only the request that they saw, as the account that they saw.
 */
export function consentFor(visit: Visit, { sessionHash }: SignedIn, keyring: Keyring): Promise<string> {
  return sealFor('consent', { login: visit.login, session: toText(sessionHash) }, keyring)
}

export interface ConfirmInput {
  /** The login, which must be pending and not expired. */
  readonly visit: Visit
  readonly signedIn: SignedInSince
  readonly consent: string
  readonly decision: 'approved' | 'denied'
  /** The browser's address. */
  readonly address: string
}

/**
 * Stores the decision. Returns false if the login was decided already, even by a simultaneous request: the
 * first decision stays. Throws a 401 if the consent is not for this login and this browser.
 */
export async function confirmLogin(input: ConfirmInput, deps: IdentityDependencies): Promise<boolean> {
  const { visit, signedIn, decision, address } = input
  const consent = await openFor('consent', input.consent, deps.keyring)
  if (consent?.login !== visit.login || consent.session !== toText(signedIn.sessionHash)) {
    throw unauthorized('This form is out of date. Go back to the login page and try again.')
  }
  const completedAt = deps.clock()
  const completed = {
    loginId: toBytes(visit.login),
    accountId: signedIn.account.id,
    decision,
    seen: seenBy(signedIn.account),
    signedInAt: signedIn.signedInAt,
    completedAt,
    // The row must stay as long as the visit URL opens, because it records that the URL was used.
    expiresAt: new Date(Math.max(visit.expires, completedAt.getTime() + FETCH_MS)),
  }
  const change = deps.changeBy({ actor: accountActor(signedIn.account.username), source: address })
  const first = await change(async ({ completedLogins, record }) => {
    const inserted = await completedLogins.insert(completed)
    const action = decision === 'approved' ? 'login.approve' : 'login.deny'
    if (inserted) await record({ action, subject: visit.login, details: { client: visit.address } })
    return inserted
  })
  if (first) deps.waiters.notify(completed)
  return first
}
