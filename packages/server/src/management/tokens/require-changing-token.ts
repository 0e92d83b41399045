/**
 * Decides what a limited token can change for its own account (contract/administration.md, B4): a read-only
 * token changes and starts nothing, and a token with fewer permissions than its account ends none of the
 * account's sessions, browsers or agents. Each can end its own session.
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

/** Operations that end a session, which may be the token's own. */
const ENDS_ITSELF: ReadonlySet<ManagementOperation> = new Set([revokeMyToken, shortenMyToken, endMyBrowser])

/** Operations on jobs, which have their own permissions and compare them with those of the job's author. */
const OF_JOBS: ReadonlySet<ManagementOperation> = new Set([makeJob, putJobPart, startJob, cancelJob])

/** Throws {@link RequestError} `permission-denied`. */
export function requireChangingToken(
  operation: ManagementOperation,
  { authority, parameters: { id } }: Wanted,
): void {
  if (!isChange(operation)) return
  const { minted, limits, sessionId } = authority.manager
  const isItself = id === sessionId && ENDS_ITSELF.has(operation)
  // Every holder of a token can log out.
  if (isItself && operation === revokeMyToken) return
  if (minted.readOnly || limits.some(({ readOnly }) => readOnly)) {
    throw denied('Your token is read-only. Log in again without that limit.')
  }
  // A token with limits lacks the permissions that they exclude.
  if (isItself || operation.permission !== undefined || OF_JOBS.has(operation) || isWholeToken(authority))
    return
  throw denied(
    'Your token has fewer permissions than your account, so it can change nothing in your account and end only its own session. Log in again without limits.',
  )
}

const denied = (message: string) =>
  new RequestError('permission-denied', message, { extra: { needs: null, brand: null } })
