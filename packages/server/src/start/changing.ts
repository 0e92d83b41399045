/** Runs changes in a transaction of the stores and the audit log. */
import { auditStore, newRowOf } from '../audit/audit-store.ts'
import { entryOf, recordingBy } from '../audit/recording.ts'
import type { AuditedChange, Author, Changing, Recording } from '../change.ts'
import type { Clock } from '../clock.ts'
import { type Database, inTransaction, type NewAuditEntry } from '../database/index.ts'

type On = Pick<Database, 'query'>

/** Returns a function that runs a change by `author` in a transaction, with the stores from `storesOn`. */
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

/** Returns the entry of a change by `author`, for a store that inserts it together with the change. */
export const newEntry =
  (clock: Clock) =>
  (change: AuditedChange, author: Author): NewAuditEntry =>
    newRowOf(entryOf(change, author, clock()))
