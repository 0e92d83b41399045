/** One session of tokens: one's own, or for an administrator that of any account. */
import { isSessionId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import type { TransactionStores } from '../../stores.ts'
import type { ListedSession } from '../session.ts'
import { noSuchSession } from './revoke-session.ts'

interface Wanted {
  readonly sessionId: string
  readonly authority: Authority
  /** Only if it is one's own. Default: of any account, which takes `tokens:read`. */
  readonly own?: boolean
}

/** Throws `permission-denied`; `no-such-record`, in the same words for one of another account. */
export async function showSession(
  { sessionId, authority, own = false }: Wanted,
  { tokenSessions }: TransactionStores,
): Promise<ListedSession> {
  if (!own) requireForAll(authority, 'tokens:read')
  const session = isSessionId(sessionId) ? await tokenSessions.find(sessionId) : undefined
  if (!session || (own && session.accountId !== authority.accountId)) throw noSuchSession(sessionId)
  return session
}
