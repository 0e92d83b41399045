/** The parts of one account that the user may see, and what the user may do with it. */
import type {
  AccountRecord,
  AccountSummary,
  Agent,
  AuditEntry,
  Grant,
  Identity,
  ListedSession,
} from '../records.ts'

/** A part is undefined if the user may not see it. */
export interface AccountView {
  readonly account: AccountRecord
  readonly summary: AccountSummary
  readonly grants: readonly Grant[] | undefined
  readonly agents: readonly Agent[]
  readonly identities: readonly Identity[]
  /** Whether there are more of each than listed here. */
  readonly more: { readonly agents: boolean; readonly identities: boolean; readonly grants: boolean }
  /** The newest active tokens. */
  readonly tokens: readonly ListedSession[] | undefined
  /** The entries by the account and about it, newest first. */
  readonly history: readonly AuditEntry[] | undefined
  /** The changes that the user may make. */
  readonly may: {
    readonly manage: boolean
    readonly grant: boolean
    readonly revoke: boolean
  }
  /** How the service sends reminders. */
  readonly sentBy: readonly string[]
  /** The account of the user. */
  readonly me: string
  readonly now: Date
}
