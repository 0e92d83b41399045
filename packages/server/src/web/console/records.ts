/** The records of the management API that pages show. */
import type {
  AccountRecordSchema,
  AccountSummarySchema,
  AgentSchema,
  AuditEntrySchema,
  GrantSchema,
  IdentitiesSchema,
  ListedSessionSchema,
  SessionSchema,
} from '@ratafia/api/schemas'
import type { Static } from 'typebox'

export type AccountRecord = Static<typeof AccountRecordSchema>
export type AccountSummary = Static<typeof AccountSummarySchema>
export type Agent = Static<typeof AgentSchema>
export type AuditEntry = Static<typeof AuditEntrySchema>
export type Grant = Static<typeof GrantSchema>
export type Identity = Static<typeof IdentitiesSchema>['identities'][number]
/** A session in a list, with its last use. */
export type ListedSession = Static<typeof ListedSessionSchema>
export type Session = Static<typeof SessionSchema>
