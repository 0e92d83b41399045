/** Records the session of a login: at its discharge, or when its root is first used. */
import type { SessionId } from '@ratafia/api'
import type { Account } from '../accounts/account.ts'
import { type AuditedChange, type Author, accountActor } from '../change.ts'
import type { Stores } from '../stores.ts'
import type { SessionKind } from './session.ts'
import type { Opening } from './session-store.ts'

export interface SessionOpening extends Stores {
  /** The entry in the audit log of a change by `author`. */
  readonly entryOf: (change: AuditedChange, author: Author) => Opening['entry']
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
  readonly facts: SessionFacts
  /** Default: the account, from `source`. */
  readonly author?: Author
  /** From 0: the first time together with others, whom a change of this account must not hold up. */
  readonly attempt: number
}

/** What a session keeps besides, for whoever looks at a list of them. */
export interface SessionFacts {
  readonly kind: SessionKind
  /** As `signed-in.ts` has it; of a session of management tokens. */
  readonly origin?: string | undefined
  /** JSON with what its root is limited to; undefined where that is not known. */
  readonly limits: string | undefined
  /** Where a browser opened it. */
  readonly openedIn?: 'console' | undefined
  /** Of the program that opened it, where that is known. */
  readonly userAgent?: string | undefined
}

/** False, and nothing is recorded, if the account is changing, or the session has been recorded. */
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
