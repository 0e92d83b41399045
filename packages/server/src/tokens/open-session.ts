/** Records the session of a login: at its discharge, or when its root is first used. */
import type { SessionId } from '@ratafia/api'
import type { Account } from '../accounts/account.ts'
import { type AuditedChange, type Author, accountActor } from '../change.ts'
import type { Clock } from '../clock.ts'
import type { Opening, SessionStore } from './session-store.ts'

export interface SessionOpening {
  readonly tokenSessions: SessionStore
  /** The entry in the audit log of a change by `author`. */
  readonly entryOf: (change: AuditedChange, author: Author) => Opening['entry']
  readonly clock: Clock
}

export interface NewSession {
  readonly id: SessionId
  readonly description: string | undefined
  readonly since: Date
  readonly until: Date
  /** As it was when the login was checked. Whoever ends its logins, disables or removes it waits for this, or was first. */
  readonly account: Account
  /** The client's address. */
  readonly source: string
  /** Default: a session of developer tokens. */
  readonly management?: ManagementFacts | undefined
  /** From 0: the first time together with others, whom a change of this account must not hold up. */
  readonly attempt: number
}

/** What a session of management tokens keeps besides. */
export interface ManagementFacts {
  /** As `signed-in.ts` has it. */
  readonly origin: string
  /** JSON with what it is limited to. */
  readonly limits: string
}

/** False, and nothing is recorded, if the account is changing, or the session has been recorded. */
export function openSession(
  { id, description, since, until, account, source, management, attempt }: NewSession,
  { tokenSessions, entryOf, clock }: SessionOpening,
): Promise<boolean> {
  const kind = management ? { kind: 'management' } : {}
  const details = { account: account.username, until: until.toISOString(), ...kind }
  const opening: Opening = {
    session: {
      ...{ id, accountId: account.id, description, validSince: since, validUntil: until },
      ...{ kind: management ? 'management' : 'developer', openedFrom: source },
      ...{ origin: management?.origin, limits: management?.limits },
    },
    loginsSince: account.loginsSince,
    at: clock(),
    entry: entryOf(
      { action: 'token.open', subject: id, details },
      { actor: accountActor(account.username), source },
    ),
  }
  return attempt === 0 ? tokenSessions.open(opening) : tokenSessions.openPatiently(opening)
}
