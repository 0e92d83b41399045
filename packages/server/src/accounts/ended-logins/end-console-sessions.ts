/** Signs an account out of the console in every browser. */
import type { AccountId } from '@ratafia/api'
import type { Recording } from '../../change.ts'
import type { TransactionStores } from '../../stores.ts'

interface EndedSessions {
  readonly accountId: AccountId
  /** For `revoked-by`. */
  readonly by: string
  readonly at: Date
}

/** Sessions of an account that are looked at, newest first: one of the console lasts half a day. */
const MOST = 10_000
/** Sessions that have ended by the clock here may go on by another node's. */
const CLOCK_MARGIN_MS = 86_400_000

/** In the transaction of a change, with an entry for each: what replaces a credential ends what the old one opened. */
export async function endConsoleSessions(
  { accountId, by, at }: EndedSessions,
  { tokenSessions, record }: TransactionStores & Recording,
): Promise<void> {
  const activeAt = new Date(at.getTime() - CLOCK_MARGIN_MS)
  for (const { id, openedIn } of await tokenSessions.list({ accountId, activeAt, limit: MOST })) {
    if (openedIn !== 'console') continue
    const revocation = await tokenSessions.revoke({ id, at, by })
    if (revocation?.first) await record({ action: 'token.revoke', subject: id })
  }
}
