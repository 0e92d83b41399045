/** Records the session of a login, either at its discharge or when its root is first used. */
import type { SessionId } from '@ratafia/api'
import type { Account } from '../accounts/account.ts'
import { type AuditedChange, type Author, accountActor } from '../change.ts'
import type { Stores } from '../stores.ts'
import type { SessionKind } from './session.ts'
import type { Opening } from './session-store.ts'

export interface SessionOpening extends Stores {
  /** Returns the audit log entry of a change by `author`. */
  readonly entryOf: (change: AuditedChange, author: Author) => Opening['entry']
}

export interface NewSession {
  readonly id: SessionId
  readonly description: string | undefined
  readonly since: Date
  readonly until: Date
  /**
   * The account as it was when the login was checked. A change that disables or removes it, or invalidates
   * its logins, either waits for this session or prevents it.
   */
  readonly account: Account
  /** The client's address. */
  readonly source: string
  readonly facts: SessionFacts
  /** Default: the account, from `source`. */
  readonly author?: Author
  /**
   * The number of earlier attempts. Only attempt 0 is stored together with other sessions, which must not
   * have to wait for a change of this account.
   */
  readonly attempt: number
}

/** Details that a session keeps only to be shown in lists. */
export interface SessionFacts {
  readonly kind: SessionKind
  /** How the user signed in, in the form of `signed-in.ts`; only for management tokens. */
  readonly origin?: string | undefined
  /** JSON with the limits of its root; undefined if they are not known. */
  readonly limits: string | undefined
  /** Where a browser opened the session, if it did. */
  readonly openedIn?: 'console' | undefined
  /** The User-Agent of the program that opened it, if known. */
  readonly userAgent?: string | undefined
}

/** Returns false, and records nothing, if the account is changing or the session is recorded already. */
export function openSession(
  { id, description, since, until, account, source, facts, author, attempt }: NewSession,
  { tokenSessions, entryOf, clock }: SessionOpening,
): Promise<boolean> {
  const kind = facts.kind === 'management' ? { kind: 'management' } : {}
  const details = { account: account.username, until: until.toISOString(), ...kind }
  const opening: Opening = {
    session: {
      ...{ id, accountId: account.id, description, validSince: since, validUntil: until },
      ...{ openedFrom: source, ...facts },
    },
    loginsSince: account.loginsSince,
    at: clock(),
    entry: entryOf(
      { action: 'token.open', subject: id, details },
      author ?? { actor: accountActor(account.username), source },
    ),
  }
  return attempt === 0 ? tokenSessions.open(opening) : tokenSessions.openPatiently(opening)
}
