/** Removes what has expired: it opens nothing any more, and only takes room. Any number of nodes may do it at once. */
import type { IdentityDependencies } from './dependencies.ts'

export async function forgetExpired({
  completedLogins,
  signInSessions,
  clock,
}: Pick<IdentityDependencies, 'completedLogins' | 'signInSessions' | 'clock'>): Promise<void> {
  const now = clock()
  await completedLogins.removeExpired(now)
  await signInSessions.removeExpired(now)
}
