/** Counts each use of a token, and stores its time later, at most every five minutes for a session. */
import type { SessionId } from '@ratafia/api'
import type { ActivityRecorder } from '../../activity/activity-recorder.ts'
import type { Clock } from '../../clock.ts'
import type { Tally } from '../../counting/tally.ts'
import { ownCopy } from '../../own-copy.ts'
import type { SessionKind } from '../session.ts'
import type { SessionStore } from '../session-store.ts'

/** One use of a token of the session. */
export interface UsedToken {
  readonly id: SessionId
  readonly at: Date
  readonly address: string
}

export interface TokenUses {
  /** Records that a token of the session was accepted. Does not wait. */
  used(kind: SessionKind, id: SessionId, address: string): void
}

interface UsesOptions {
  readonly clock: Clock
  readonly tally: Tally
  /** The number of sessions remembered. */
  readonly most?: number
}

const EVERY_MS = 5 * 60_000
const MOST = 100_000

export function tokenUses(
  { saw }: Pick<ActivityRecorder<UsedToken>, 'saw'>,
  { clock, tally, most = MOST }: UsesOptions,
): TokenUses {
  /** When further uses of a session are stored again, in milliseconds. */
  const quiet = new Map<SessionId, number>()
  return {
    used: (kind, id, address) => {
      tally.add('token-uses', kind)
      const at = clock()
      const now = at.getTime()
      const until = quiet.get(id)
      // If the clock was set back, a session must not stay unrecorded for longer.
      if (until !== undefined && now < until && now >= until - EVERY_MS) return
      // Afterwards all are stored once more, which costs a statement per thousand.
      if (until === undefined && quiet.size >= most) quiet.clear()
      const own = until === undefined ? ownCopy(id) : id
      quiet.set(own, now + EVERY_MS)
      saw({ id: own, at, address })
    },
  }
}

export const talliedLogins = (sessions: SessionStore, tally: Tally): SessionStore => {
  const counting =
    (open: SessionStore['open']): SessionStore['open'] =>
    async (opening) => {
      const opened = await open(opening)
      if (opened) tally.add('logins', 'opened')
      return opened
    }
  return { ...sessions, open: counting(sessions.open), openPatiently: counting(sessions.openPatiently) }
}
