/**
 * What a token with limits changes of its own account (contract/administration.md, B4): a token that only reads changes
 * nothing and starts nothing, and a token that does less than its account ends no session, browser or agent of that. What
 * each of them may end is itself.
 */
import { isChange, MANAGEMENT_OPERATIONS, type ManagementOperation } from '@ratafia/api/schemas'
import { RequestError } from '../../errors.ts'
import type { ManagerAuthority } from './manager.ts'
import { isWholeToken } from './require-whole-token.ts'

interface Wanted {
  readonly authority: Pick<ManagerAuthority, 'manager' | 'scopeOf' | 'accountScopeOf'>
  readonly parameters: Readonly<Record<string, string>>
}

const { revokeMyToken, shortenMyToken, endMyBrowser } = MANAGEMENT_OPERATIONS
const { makeJob, putJobPart, startJob, cancelJob } = MANAGEMENT_OPERATIONS

/** They end a session, which may be that of the token. */
const ENDS_ITSELF: ReadonlySet<ManagementOperation> = new Set([revokeMyToken, shortenMyToken, endMyBrowser])

/** A job has a permission of its own, and its operations compare the rights of its maker. */
const OF_JOBS: ReadonlySet<ManagementOperation> = new Set([makeJob, putJobPart, startJob, cancelJob])

/** Throws {@link RequestError} `permission-denied`. */
export function requireChangingToken(
  operation: ManagementOperation,
  { authority, parameters: { id } }: Wanted,
): void {
  if (!isChange(operation)) return
  const { minted, limits, sessionId } = authority.manager
  const isItself = id === sessionId && ENDS_ITSELF.has(operation)
  // Whoever has a token may log out.
  if (isItself && operation === revokeMyToken) return
  if (minted.readOnly || limits.some(({ readOnly }) => readOnly)) {
    throw denied('Your token only reads. Log in again without that limit.')
  }
  // A token with limits lacks the permissions that they leave out.
  if (isItself || operation.permission !== undefined || OF_JOBS.has(operation) || isWholeToken(authority))
    return
  throw denied(
    'Your token may do less than your account, so it changes nothing of your account and ends only itself. Log in again without limits.',
  )
}

const denied = (message: string) =>
  new RequestError('permission-denied', message, { extra: { needs: null, brand: null } })
