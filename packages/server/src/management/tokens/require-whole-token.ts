/** Checks what a limited management token can do for its own account (contract/administration.md, B4 and B11). */
import { MANAGEMENT_PERMISSIONS } from '@ratafia/api'
import { isChange, MANAGEMENT_OPERATIONS, type ManagementOperation } from '@ratafia/api/schemas'
import { RequestError } from '../../errors.ts'
import type { ManagerAuthority } from './manager.ts'

type Rights = Pick<ManagerAuthority, 'manager' | 'scopeOf' | 'accountScopeOf'>

/** Whether the token has no limits and every permission that its account has now. */
function isWholeToken({ manager: { minted, limits }, scopeOf, accountScopeOf }: Rights): boolean {
  const hasAll = MANAGEMENT_PERMISSIONS.every((permission) => {
    const scope = scopeOf(permission)
    const ofAccount = accountScopeOf(permission)
    if (scope === 'all' || ofAccount === 'all') return scope === ofAccount
    return scope.size === ofAccount.size
  })
  return hasAll && !minted.readOnly && limits.length === 0
}

/**
 * Required to create another credential for one's own account. It would have none of the token's limits, so the holder
 * of a limited token would get more than they were given. Only a session that a browser opened in the console can do
 * it: the token of `ratafia login` is in a file, and its thief must not be able to create a credential that outlives
 * it. Throws `permission-denied`.
 */
export function requireWholeToken(authority: Rights): void {
  if (!authority.manager.inConsole) {
    throw new RequestError(
      'permission-denied',
      'Only a browser that signed in to the console can do this, and this session was opened elsewhere. Sign in to the console.',
      { extra: { needs: null, brand: null } },
    )
  }
  if (isWholeToken(authority)) return
  throw new RequestError(
    'permission-denied',
    'Your sign-in has fewer permissions than your account, and what you create here would not have its limits. Sign in again without limits.',
    { extra: { needs: null, brand: null } },
  )
}

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

/** Throws `permission-denied`. */
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
