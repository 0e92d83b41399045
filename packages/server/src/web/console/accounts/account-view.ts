/** What a person may see of one account, and do with it. */
import type { Agent, AuditEntry, Grant, Identity, ListedSession } from '../records.ts'
import type { AccountRecord, AccountSummary } from './list-page.ts'

/** Each is undefined for whoever may not see it. */
export interface AccountView {
  readonly account: AccountRecord
  readonly summary: AccountSummary
  readonly grants: readonly Grant[] | undefined
  readonly agents: readonly Agent[]
  readonly identities: readonly Identity[]
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
  /** The account of the person. */
  readonly me: string
  readonly now: Date
}
