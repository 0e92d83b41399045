/** Puts the stores of a change and the audit log on one transaction. */
import { auditStore, newRowOf } from '../audit/audit-store.ts'
import { entryOf, recordingBy } from '../audit/recording.ts'
import type { AuditedChange, Author, Changing, Recording } from '../change.ts'
import type { Clock } from '../clock.ts'
import { type Database, inTransaction, type NewAuditEntry } from '../database/index.ts'

type On = Pick<Database, 'query'>

/** Changes by `author`, whose stores `storesOn` makes. */
export const changing =
  <S>({ query }: On, clock: Clock, storesOn: (on: On) => S) =>
  (author: Author): Changing<S & Recording> =>
  (work) =>
    inTransaction(query, (transaction) => {
      const on = { query: transaction }
      return work({ ...storesOn(on), ...recordingOn(on, clock, author) })
    })

export const recordingOn = (on: On, clock: Clock, author: Author): Recording =>
  recordingBy(author, { audit: auditStore(on), clock })

/** The entry of a change by `author`, for a store that inserts it with what it records. */
export const newEntry =
  (clock: Clock) =>
  (change: AuditedChange, author: Author): NewAuditEntry =>
    newRowOf(entryOf(change, author, clock()))
