/** Notes that a token was used: each use is counted, and its time stored behind, at most every five minutes. */
import type { SessionId } from '@ratafia/api'
import type { ActivityRecorder } from '../../activity/activity-recorder.ts'
import type { Clock } from '../../clock.ts'
import type { Tally } from '../../counting/tally.ts'
import { ownCopy } from '../../own-copy.ts'
import type { SessionKind } from '../session.ts'
import type { UsedToken } from './token-activity.ts'

export interface TokenUses {
  /** A token of the session was accepted. Waits for nothing. */
  used(kind: SessionKind, id: SessionId, address: string): void
}

interface UsesOptions {
  readonly clock: Clock
  readonly tally: Tally
  /** How many sessions are remembered. */
  readonly most?: number
}

const EVERY_MS = 5 * 60_000
const MOST = 100_000

export function tokenUses(
  { saw }: Pick<ActivityRecorder<UsedToken>, 'saw'>,
  { clock, tally, most = MOST }: UsesOptions,
): TokenUses {
  /** Until when nothing more of a session is noted, in milliseconds. */
  const quiet = new Map<SessionId, number>()
  return {
    used: (kind, id, address) => {
      tally.add('token-uses', kind)
      const at = clock()
      const now = at.getTime()
      const until = quiet.get(id)
      // A clock that was set back must not make it quiet for longer.
      if (until !== undefined && now < until && now >= until - EVERY_MS) return
      // All are noted once more then, which costs a statement for each thousand.
      if (until === undefined && quiet.size >= most) quiet.clear()
      const own = until === undefined ? ownCopy(id) : id
      quiet.set(own, now + EVERY_MS)
      saw({ id: own, at, address })
    },
  }
}
