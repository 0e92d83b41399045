/** Whether somebody signed in from where an attempt comes from: strangers who guess elsewhere cannot lock them out. */
import { isUsername } from '@ratafia/api'
import { networksOf } from '../../address.ts'
import type { AuditStore } from '../../audit/audit-store.ts'

/** How many sign-ins are looked at, newest first. */
const LOOKED_AT = 100

/** Where sign-ins are recorded. */
export type SignInRecord = Pick<AuditStore, 'list'>

export interface SignInAttempt {
  /** Of an account, or as typed: any text. */
  readonly username: string
  readonly address: string
}

/** As far as the audit log goes back. The addresses of an IPv6 /64 count as one. */
export async function signedInBefore(
  { username, address }: SignInAttempt,
  { audit }: { readonly audit: SignInRecord },
): Promise<boolean> {
  // Not even asked: a database refuses some texts.
  if (!isUsername(username)) return false
  const [here] = networksOf(address)
  const signIns = await audit.list({ action: 'account.sign-in', subject: username }, { limit: LOOKED_AT })
  return signIns.some(({ source }) => networksOf(source)[0] === here)
}
