/** Signs an account out of the console in every browser. */
import type { AccountId } from '@ratafia/api'
import type { Recording } from '../../change.ts'
import type { TransactionStores } from '../../stores.ts'

interface EndedSessions {
  readonly accountId: AccountId
  /** The author, for `revoked-by`. */
  readonly by: string
  readonly at: Date
}

/** The number of sessions examined, newest first. Console sessions last half a day, so they are among the newest. */
const MOST = 10_000
/**
 * Sessions that expired within this time are revoked as well: they would be valid again if the database's
 * clock, which decides (decision 58), were set back.
 */
export const CLOCK_MARGIN_MS = 86_400_000

/**
 * Revokes the console sessions of an account, with an audit log entry for each, because a change that replaces a
 * credential also revokes the sessions opened with the old one. Call it in the transaction of that change.
 */
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
