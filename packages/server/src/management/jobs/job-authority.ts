/**
 * The permissions of a job at this moment: those that its author's account has now, within those of the
 * author's token. They are checked again for every batch, so that a job stops when the role, session or
 * account that created it is gone (A16).
 */
import { OPERATOR } from '../../accounts/account-fields.ts'
import { type Authority, directAuthority } from '../../authority.ts'
import { type Author, accountActor } from '../../change.ts'
import type { Stores } from '../../stores.ts'
import { parseSignedIn } from '../../third-party/signed-in.ts'
import { agentSince } from '../grants/reaches.ts'
import { authorityOf } from '../tokens/manager.ts'
import type { Job } from './job.ts'
import { jobKind } from './kinds.ts'

/** Returns the job's author, as the audit log records its changes. */
export const jobAuthor = ({ id, maker: { by, source, login } }: Pick<Job, 'id' | 'maker'>): Author => ({
  actor: login ? accountActor(by) : OPERATOR,
  source,
  details: { job: id },
})

/** Returns the authority; or, if the job may not continue, a sentence with the reason. */
export async function jobAuthority({ id, kind, maker }: Job, stores: Stores): Promise<Authority | string> {
  const { logins, grants, clock } = stores
  const needs = jobKind(kind)?.needs
  if (needs === undefined) return `This release does not know jobs of the kind ${kind}.`
  if (!maker.login) return directAuthority(jobAuthor({ id, maker }), maker.by)
  const { accountId, sessionId, minted, limits } = maker.login
  const now = clock()
  const login = await logins.ofSession(sessionId)
  if (!login || login.account.id !== accountId) return 'The session that created this job is gone.'
  const { account, session } = login
  if (account.removedAt) return 'The account that created this job was removed.'
  if (account.disabledAt)
    return `The account that created this job has been disabled since ${account.disabledAt.toISOString()}.`
  if (session.revokedAt)
    return `The session that created this job was revoked at ${session.revokedAt.toISOString()}.`
  if (session.validUntil <= now)
    return `The session that created this job expired at ${session.validUntil.toISOString()}.`
  const signIn = parseSignedIn(session.origin ?? '')
  const authority = authorityOf(
    {
      ...{ account, sessionId, until: session.validUntil.getTime(), minted, limits },
      ...{ signIn, since: session.since, agentSince: await agentSince(signIn, accountId, stores) },
      inConsole: session.openedIn === 'console',
      grants: await grants.heldBy(account.id, now),
    },
    { source: maker.source, job: id },
    now,
  )
  const scope = authority.scopeOf(needs)
  if (scope !== 'all' && scope.size === 0) return `${account.username} no longer has the permission ${needs}.`
  return authority
}
