/** Somebody who is signed in approves or refuses a login. */
import { accountActor } from '../../change.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import { FETCH_MS, type IdentityDependencies } from '../dependencies.ts'
import { IdentityError } from '../errors.ts'
import { openFor, sealFor, toBytes, toText, type Visit } from './sealed-texts.ts'
import type { SignedIn } from './sign-in.ts'

/**
 * The text that the confirmation form carries: it is good for this login and this signed-in browser alone, so that
 * nobody confirms what they were not shown, or as another account than they were shown.
 */
export function consentFor(visit: Visit, { sessionHash }: SignedIn, keyring: Keyring): Promise<string> {
  return sealFor('consent', { login: visit.login, session: toText(sessionHash) }, keyring)
}

export interface ConfirmInput {
  /** Pending, and not expired. */
  readonly visit: Visit
  readonly signedIn: SignedIn
  readonly consent: string
  readonly decision: 'approved' | 'denied'
  /** Of the browser. */
  readonly address: string
}

type ConfirmDeps = Pick<IdentityDependencies, 'keyring' | 'changeBy' | 'waiters' | 'clock'>

/**
 * False when it was decided before, also by a request at the same moment; that decision stays.
 * Throws {@link IdentityError} `permission denied` when the consent is not for this login and this browser.
 */
export async function confirmLogin(input: ConfirmInput, deps: ConfirmDeps): Promise<boolean> {
  const { visit, signedIn, decision, address } = input
  const consent = await openFor('consent', input.consent, deps.keyring)
  if (consent?.login !== visit.login || consent.session !== toText(signedIn.sessionHash)) {
    throw new IdentityError(
      'permission denied',
      'This form is out of date. Go back to the page of your login.',
    )
  }
  const completedAt = deps.clock()
  const completed = {
    loginId: toBytes(visit.login),
    accountId: signedIn.account.id,
    decision,
    completedAt,
    // As long as the visit URL opens, the row must be there to say that it was used.
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
