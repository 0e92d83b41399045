/** What a person may see of one account, and do with it. */
import type {
  AccountRecord,
  AccountSummary,
  Agent,
  AuditEntry,
  Grant,
  Identity,
  ListedSession,
} from '../records.ts'

/** Each is undefined for whoever may not see it. */
export interface AccountView {
  readonly account: AccountRecord
  readonly summary: AccountSummary
  readonly grants: readonly Grant[] | undefined
  readonly agents: readonly Agent[]
  readonly identities: readonly Identity[]
  /** Whether there are more of each than are here. */
  readonly more: { readonly agents: boolean; readonly identities: boolean; readonly grants: boolean }
  /** The newest that are active. */
  readonly tokens: readonly ListedSession[] | undefined
  /** By it and about it, newest first. */
  readonly history: readonly AuditEntry[] | undefined
  /** What the person may do with it. */
  readonly may: {
    readonly manage: boolean
    readonly grant: boolean
    readonly revoke: boolean
  }
  /** How the service sends reminders. */
  readonly sentBy: readonly string[]
  /** The account of the person. */
  readonly me: string
  readonly now: Date
}
