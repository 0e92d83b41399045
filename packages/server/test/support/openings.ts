/** The argument that makes a store record the session of a token. */
import { newRowOf } from '../../src/audit/audit-store.ts'
import { entryOf } from '../../src/audit/recording.ts'
import type { Opening } from '../../src/tokens/session-store.ts'

/** Returns an opening with the audit entry of a login. `loginsSince` is the account's. */
export function openingOf(session: Opening['session'], at: Date, loginsSince?: Date): Opening {
  const change = { action: 'token.open', subject: session.id } as const
  const author = { actor: 'account:ada', source: '192.0.2.1' }
  return { session, at, loginsSince, entry: newRowOf(entryOf(change, author, at)) }
}
