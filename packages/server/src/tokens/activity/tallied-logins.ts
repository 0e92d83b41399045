/** Counts the logins that open a session, however the user signed in. */
import type { Tally } from '../../counting/tally.ts'
import type { SessionStore } from '../session-store.ts'

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
